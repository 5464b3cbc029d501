// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// MuJoCo: elliptic cones, Newton solver (its default), contact dimension 3. Contacts are soft; restitution e is the
// damping ratio -ln e / sqrt(pi^2 + ln^2 e) of the contact's spring (1 for e = 0) with its default time constant 0.02
// s, at least 2 h.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "works.h"

namespace ricochet::peers {
namespace {

std::string Number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g ", x);
  return text;
}

class MujocoWorld final : public PeerWorld {
 public:
  MujocoWorld(const BodyKind& kind, double h) : h_(h) {
    std::string size;
    for (int k = 0; k < (kind.ball ? 1 : 3); ++k) size += Number(kind.ball ? kind.size[0] : 0.5 * kind.size[k]);
    const std::string xml = "<mujoco><option timestep='" + Number(h) +
                            "' gravity='0 0 -9.81' cone='elliptic'/><worldbody><geom type='plane' size='0 0 1' "
                            "condim='3'/><body><freejoint/>"
                            "<inertial pos='0 0 0' mass='" +
                            Number(kind.mass) + "' diaginertia='" + Number(kind.inertia[0]) + Number(kind.inertia[1]) +
                            Number(kind.inertia[2]) + "'/><geom condim='3' type='" + (kind.ball ? "sphere" : "box") +
                            "' size='" + size + "'/></body></worldbody></mujoco>";
    const std::string file = std::string(P_tmpdir) + "/ricochet_peer.xml";
    if (FILE* out = std::fopen(file.c_str(), "w")) {
      std::fwrite(xml.data(), 1, xml.size(), out);
      std::fclose(out);
    }
    char error[500] = "";
    model_ = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
    std::remove(file.c_str());
    if (model_ == nullptr) {
      std::fprintf(stderr, "%s\n", error);
      std::exit(1);
    }
    data_ = mj_makeData(model_);
  }
  ~MujocoWorld() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  void SetLaw(double friction, double restitution) override {
    const double log_e = restitution > 0 ? std::log(restitution) : 0;
    const double damping = restitution > 0 ? -log_e / std::sqrt(M_PI * M_PI + log_e * log_e) : 1;
    for (int g = 0; g < model_->ngeom; ++g) {
      model_->geom_friction[3 * g] = friction;
      model_->geom_solref[2 * g] = std::max(0.02, 2 * h_);
      model_->geom_solref[2 * g + 1] = damping;
    }
  }
  void Reset(const BodyState& s) override {
    mj_resetData(model_, data_);
    for (int k = 0; k < 3; ++k) {
      data_->qpos[k] = s.position[k];
      data_->qvel[k] = s.velocity[k];
    }
    for (int k = 0; k < 4; ++k) data_->qpos[3 + k] = s.orientation[k];
    // Angular velocity of a free joint is in body axes.
    mjtNum inverse[4], local[3];
    mju_negQuat(inverse, data_->qpos + 3);
    mju_rotVecQuat(local, s.angular_velocity.data(), inverse);
    for (int k = 0; k < 3; ++k) data_->qvel[3 + k] = local[k];
  }
  void Run(int steps) override {
    for (int k = 0; k < steps; ++k) mj_step(model_, data_);
  }
  BodyState Get() const override {
    BodyState s;
    for (int k = 0; k < 3; ++k) {
      s.position[k] = data_->qpos[k];
      s.velocity[k] = data_->qvel[k];
    }
    for (int k = 0; k < 4; ++k) s.orientation[k] = data_->qpos[3 + k];
    mju_rotVecQuat(s.angular_velocity.data(), data_->qvel + 3, data_->qpos + 3);
    return s;
  }

 private:
  double h_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

}  // namespace
}  // namespace ricochet::peers

int main(int argc, char** argv) {
  using namespace ricochet::peers;
  return RunWorks(
      "mujoco", "elliptic cone, Newton, soft contacts with time constant 0.02 s",
      [](const BodyKind& kind, double h) -> std::unique_ptr<PeerWorld> {
        return std::make_unique<MujocoWorld>(kind, h);
      },
      argc, argv);
}
