"""Inertia and friction of a pendulum from its recorded swing, with the system identification toolbox of MuJoCo."""

import mujoco
import numpy as np
from mujoco import sysid

XML = """
<mujoco>
  <option timestep="0.00025" integrator="implicitfast" gravity="0 0 -9.81"/>
  <worldbody>
    <body name="rod">
      <inertial pos="0 0 -0.2" mass="0.4" diaginertia="3.0e-3 3.0e-3 1e-4"/>
      <joint name="hinge" type="hinge" axis="0 1 0" damping="1e-3" frictionloss="1e-3"/>
    </body>
  </worldbody>
  <sensor><jointpos name="angle" joint="hinge"/></sensor>
</mujoco>
"""


def set_inertia(spec, parameter):
    value = parameter.value[0]
    spec.body("rod").inertia = [value, value, 1e-4]


def set_damping(spec, parameter):
    spec.joint("hinge").damping = [parameter.value[0], 0, 0]


def set_frictionloss(spec, parameter):
    spec.joint("hinge").frictionloss = parameter.value[0]


def identify(t, angle, release):
    """Values of inertia [kg m^2], viscous friction [N m s] and dry friction [N m], and their 95 % intervals."""
    spec = mujoco.MjSpec.from_string(XML)
    model = spec.compile()
    params = sysid.ParameterDict()
    params.add(sysid.Parameter("inertia", 3.0e-3, 1e-3, 1e-2, modifier=set_inertia))
    params.add(sysid.Parameter("viscous", 1e-3, 0, 1e-2, modifier=set_damping))
    params.add(sysid.Parameter("dry", 1e-3, 0, 2e-2, modifier=set_frictionloss))
    start = sysid.create_initial_state(model, np.array([release]), np.zeros(1))
    control = sysid.TimeSeries(t, np.zeros((len(t), 0)))
    measured = sysid.TimeSeries.from_names(t, angle[:, None], model, ["hinge_qpos"])
    sequences = sysid.ModelSequences("pendulum", spec, "swing", start, control, measured)
    residual = sysid.build_residual_fn(models_sequences=[sequences])
    found, result = sysid.optimize(initial_params=params, residual_fn=residual, verbose=False)
    values = found.as_vector()
    residuals, _, _ = residual(values, found)
    _, half = sysid.calculate_intervals(residuals, result.jac)
    return list(values), [(value - each, value + each) for value, each in zip(values, half)]
