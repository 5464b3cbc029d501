// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Ours: `moreau` with its defaults.
#include <fmt/format.h>

#include <utility>

#include "dynamics/kinematics.h"
#include "steppers/moreau/moreau.h"
#include "works.h"

namespace ricochet::peers {
namespace {

class RicochetWorld final : public PeerWorld {
 public:
  RicochetWorld(const BodyKind& kind, double h)
      : model_(CompileModel(ParseScene(SceneText(kind), "peer"))),
        workspace_(Moreau().MakeWorkspace(model_)),
        state_(InitialState(model_)),
        h_(h) {}

  void SetLaw(double friction, double restitution) override {
    for (SpatialPair<double>& pair : model_.spatial.pairs) {
      pair.law.friction = friction;
      pair.law.restitution = restitution;
    }
  }
  void Reset(const BodyState& s) override {
    state_.q << s.position[0], s.position[1], s.position[2], s.orientation[0], s.orientation[1], s.orientation[2],
        s.orientation[3];
    state_.v << s.velocity[0], s.velocity[1], s.velocity[2], s.angular_velocity[0], s.angular_velocity[1],
        s.angular_velocity[2];
  }
  void Run(int steps) override {
    for (int k = 0; k < steps; ++k) {
      Moreau().Step(model_, state_, {}, h_, *workspace_, result_);
      std::swap(state_, result_.end);
    }
  }
  BodyState Get() const override {
    const Eigen::VectorXd &q = state_.q, &v = state_.v;
    return {.position = {q[0], q[1], q[2]},
            .velocity = {v[0], v[1], v[2]},
            .angular_velocity = {v[3], v[4], v[5]},
            .orientation = {q[3], q[4], q[5], q[6]}};
  }

 private:
  static std::string SceneText(const BodyKind& k) {
    const std::string shape = k.ball ? fmt::format("sphere: {{radius: {}}}", k.size[0])
                                     : fmt::format("box: {{size: [{}, {}, {}]}}", k.size[0], k.size[1], k.size[2]);
    return fmt::format(
        "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  body: {{shape: {{{}}}, mass: {}, inertia: "
        "[{}, "
        "{}, {}]}}\nsurfaces:\n  floor: {{plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}}}\ncontact: {{friction: 0.4, "
        "restitution: 0.25}}\ninitial:\n  body: {{position: [0, 0, 1], orientation: [1, 0, 0, 0], velocity: [0, 0, 0], "
        "angular_velocity: [0, 0, 0]}}\nsimulation: {{method: moreau}}\n",
        shape, k.mass, k.inertia[0], k.inertia[1], k.inertia[2]);
  }

  Model model_;
  std::unique_ptr<Workspace> workspace_;
  State state_;
  StepResult result_;
  double h_;
};

}  // namespace
}  // namespace ricochet::peers

int main(int argc, char** argv) {
  using namespace ricochet::peers;
  return RunWorks(
      "ricochet", "moreau, defaults: true cone, residual 1e-12, no memory of earlier steps",
      [](const BodyKind& kind, double h) -> std::unique_ptr<PeerWorld> {
        return std::make_unique<RicochetWorld>(kind, h);
      },
      argc, argv);
}
