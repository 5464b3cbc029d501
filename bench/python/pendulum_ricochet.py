"""Inertia and friction of a pendulum from its recorded swing, with Ricochet."""

import ricochet

SCENE = {
    "space": "spatial",
    "gravity": [0, 0, -9.81],
    "bodies": {"rod": {"mass": 0.4, "inertia": [1e-4, 3.0e-3, 3.0e-3]}},
    "joints": {
        "hinge": {
            "type": "hinge",
            "parent": "world",
            "child": "rod",
            "parent_frame": {"point": [0, 0, 0], "axis": [0, -1, 0], "zero": [0, 0, -1]},
            "child_frame": {"point": [-0.2, 0, 0], "axis": [0, 1, 0], "zero": [1, 0, 0]},
            "viscous": 1e-3,
            "coulomb": 1e-3,
        }
    },
    "observe": ["hinge.angle"],
    "simulation": {"method": "spook", "step": 1e-3, "duration": 10},
}
PATHS = ["bodies.rod.inertia[1]", "joints.hinge.viscous", "joints.hinge.coulomb"]


def identify(t, angle, release):
    """Values of inertia [kg m^2], viscous friction [N m s] and dry friction [N m], and their 95 % intervals."""
    est = ricochet.identify(SCENE, {"t": t, "hinge.angle": angle}, PATHS)
    return [est[path].value for path in PATHS], [est[path].interval for path in PATHS]
