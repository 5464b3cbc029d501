// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Friction-contact problems met in our steps, 1 to 16 contacts, solved by us and by Siconos (NSGS, its default solver
// for this class, tolerance 1e-10, at most 20 000 iterations): processor time of each, and how far the velocities are
// apart where Siconos converges. Tossed boxes give 1 to 4 contacts; columns of 2 to 4 cubes, dropped a little askew
// with a sideways velocity, give 8, 12 and 16.
//
// The same problems with the cone replaced by a pyramid of four directions are linear complementarity problems of six
// unknowns per contact, solved by our Lemke and by Siconos' (SICONOS_LCP_LEMKE).
//
//   build-bench/bench/peers/contact_siconos
//   kind,contacts,problems,ours_us,siconos_us,ours_failed,siconos_failed,largest_difference,median_difference,
//   ours_worst_residual
//
// Where contacts are redundant (4 and more) the velocity need not be unique, and differences are no errors.
#include <fmt/format.h>
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/LinearComplementarityProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/lcp_cst.h>
#include <time.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "complementarity/lcp/lcp.h"
#include "core/random.h"
#include "dynamics/kinematics.h"
#include "steppers/moreau/moreau.h"
#include "tests/support/spatial_run.h"

extern "C" NumericsMatrix* NM_create_from_data(int storage, int rows, int columns, void* data);
extern "C" NumericsMatrix* NM_free(NumericsMatrix* matrix);

namespace ricochet {
namespace {

double ProcessorTime() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Row {
  int problems = 0, ours_failed = 0, failed = 0;
  double ours = 0, theirs = 0, residual = 0;
  std::vector<double> differences;
};

/// J of all bodies and contacts, contacts in the order n, t1, t2.
Eigen::MatrixXd Jacobian(const FrictionContactProblem& p) {
  const int n = static_cast<int>(p.contacts.size());
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(3 * n, 6 * p.body_count);
  for (int i = 0; i < n; ++i) {
    const FrictionContact& c = p.contacts[i];
    const int order[3] = {2, 0, 1};
    for (int k = 0; k < 3; ++k) {
      J.row(3 * i + k).segment<6>(6 * c.body) = c.rows.col(order[k]);
      if (c.other >= 0) J.row(3 * i + k).segment<6>(6 * c.other) = c.other_rows.col(order[k]);
    }
  }
  return J;
}

void Compare(const FrictionContactProblem& p, FrictionContactWorkspace& workspace, Row& row) {
  const int n = static_cast<int>(p.contacts.size());
  ++row.problems;
  FrictionContactSolution ours;
  double start = ProcessorTime();
  SolveFrictionContact(p, {}, workspace, ours);
  row.ours += ProcessorTime() - start;
  row.residual = std::max(row.residual, ours.residual);
  row.ours_failed += !(ours.residual <= 1e-6);

  const Eigen::MatrixXd J = Jacobian(p);
  Eigen::VectorXd q(3 * n), mu(n), reaction = Eigen::VectorXd::Zero(3 * n), velocity = reaction;
  for (int i = 0; i < n; ++i) {
    const Eigen::Vector3d b = ContactVelocity(p.contacts[i], p.free_velocity);
    q.segment<3>(3 * i) << b[2], b[0], b[1];
    mu[i] = p.contacts[i].mu;
  }
  auto* const data = static_cast<double*>(std::malloc(sizeof(double) * 9 * n * n));  // owned by the matrix
  Eigen::Map<Eigen::MatrixXd>(data, 3 * n, 3 * n) = J * J.transpose();
  ::FrictionContactProblem problem{};
  problem.dimension = 3;
  problem.numberOfContacts = n;
  problem.M = NM_create_from_data(0, 3 * n, 3 * n, data);
  problem.q = q.data();
  problem.mu = mu.data();
  SolverOptions* const options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 20000;
  options->dparam[SICONOS_DPARAM_TOL] = 1e-10;
  start = ProcessorTime();
  const int info = fc3d_driver(&problem, reaction.data(), velocity.data(), options);
  row.theirs += ProcessorTime() - start;
  solver_options_delete(options);
  NM_free(problem.M);
  if (info != 0) {
    ++row.failed;
    return;
  }
  const Eigen::VectorXd change = J.transpose() * reaction;
  double difference = 0;
  for (int b = 0; b < p.body_count; ++b)
    difference =
        std::max(difference, (ours.velocity[b] - p.free_velocity[b] - change.segment<6>(6 * b)).cwiseAbs().maxCoeff());
  row.differences.push_back(difference / std::max(1e-300, q.cwiseAbs().maxCoeff()));
}

/// Stewart and Trinkle's problem with friction along +-t1, +-t2: unknowns normal impulses, friction, slips.
void CompareLcp(const FrictionContactProblem& p, LemkeWorkspace& workspace, Row& row) {
  const int n = static_cast<int>(p.contacts.size());
  const Eigen::MatrixXd J = Jacobian(p);
  Eigen::MatrixXd rows(5 * n, J.cols()), M = Eigen::MatrixXd::Zero(6 * n, 6 * n);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(6 * n);
  for (int i = 0; i < n; ++i) {
    const Eigen::Vector3d b = ContactVelocity(p.contacts[i], p.free_velocity);
    rows.row(i) = J.row(3 * i);
    q[i] = b[2];
    for (int k = 0; k < 4; ++k) {
      const double sign = k % 2 == 0 ? 1 : -1;
      const int at = n + 4 * i + k;
      rows.row(at) = sign * J.row(3 * i + 1 + k / 2);
      q[at] = sign * b[k / 2];
      M(at, 5 * n + i) = 1;
      M(5 * n + i, at) = -1;
    }
    M(5 * n + i, i) = p.contacts[i].mu;
  }
  M.topLeftCorner(5 * n, 5 * n) = rows * rows.transpose();
  ++row.problems;
  Eigen::VectorXd z = Eigen::VectorXd::Zero(6 * n), theirs = z, w = z;
  double start = ProcessorTime();
  const LemkeSummary summary = SolveLemke(M, q, workspace, z);
  row.ours += ProcessorTime() - start;
  if (summary.termination == LemkeTermination::kSolved) {
    row.residual = std::max(row.residual, summary.residual);
  } else {
    ++row.ours_failed;
  }
  auto* const data = static_cast<double*>(std::malloc(sizeof(double) * M.size()));  // owned by the matrix
  Eigen::Map<Eigen::MatrixXd>(data, M.rows(), M.cols()) = M;
  ::LinearComplementarityProblem problem{};
  problem.size = 6 * n;
  problem.M = NM_create_from_data(0, 6 * n, 6 * n, data);
  problem.q = q.data();
  SolverOptions* const options = solver_options_create(SICONOS_LCP_LEMKE);
  start = ProcessorTime();
  const int info = linearComplementarity_driver(&problem, theirs.data(), w.data(), options);
  row.theirs += ProcessorTime() - start;
  solver_options_delete(options);
  NM_free(problem.M);
  row.failed += info != 0;
  if (info != 0 || summary.termination != LemkeTermination::kSolved) return;
  const Eigen::VectorXd difference = rows.transpose() * (z - theirs).head(5 * n);
  row.differences.push_back(difference.cwiseAbs().maxCoeff() / std::max(1e-300, q.cwiseAbs().maxCoeff()));
}

std::string SceneText(int count, const char* shape, double mass, Random& r) {
  std::string bodies, initial;
  for (int i = 0; i < count; ++i) {
    bodies += fmt::format("  b{}: {{shape: {{box: {{size: {}}}}}, mass: {}}}\n", i, shape, mass);
    const double lean = count == 1 ? 0.3 : 1e-3;
    initial += fmt::format(
        "  b{}: {{position: [{}, {}, {}], orientation: [1, {}, {}, {}], velocity: [{}, {}, 0], angular_velocity: [{}, "
        "{}, {}]}}\n",
        i, r.Uniform(-0.01, 0.01), r.Uniform(-0.01, 0.01), count == 1 ? 0.2 : 0.0502 + 0.1003 * i,
        r.Uniform(-lean, lean), r.Uniform(-lean, lean), r.Uniform(-lean, lean), count == 1 ? 1.0 : 0.2 * i,
        r.Uniform(-0.3, 0.3), 10 * lean * r.Uniform(-1, 1), 10 * lean * r.Uniform(-1, 1), 10 * lean * r.Uniform(-1, 1));
  }
  return "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n" + bodies +
         "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\ncontact: {friction: 0.4}\ninitial:\n" +
         initial + "simulation: {method: moreau}\n";
}

}  // namespace
}  // namespace ricochet

int main() {
  using namespace ricochet;
  std::map<std::pair<std::string, int>, Row> rows;
  FrictionContactWorkspace scratch;
  LemkeWorkspace lemke;
  Random random(1);
  for (int run = 0; run < 24; ++run) {
    const int count = run < 12 ? 1 : 2 + run % 3;
    const Model model = CompileModel(ParseScene(
        SceneText(count, count == 1 ? "[0.205, 0.155, 0.1]" : "[0.1, 0.1, 0.1]", count == 1 ? 0.365 : 1, random),
        "contact"));
    const auto workspace = Moreau().MakeWorkspace(model);
    auto& w = static_cast<MoreauWorkspace&>(*workspace);
    State state = InitialState(model);
    StepResult result;
    for (int k = 0; k < 240; ++k) {
      Moreau().Step(model, state, {}, 1.0 / 360, *workspace, result);
      std::swap(state, result.end);
      if (result.contacts.empty()) continue;
      const int n = static_cast<int>(count == 1 ? result.contacts.size() : w.together.size());
      if (n == 0 || n > 16 || rows[{"cone", n}].problems >= 100) continue;
      ricochet::FrictionContactProblem problem = w.problem;
      if (count == 1) {
        SmallContactProblem small;
        AssembleOneBody(model.spatial, w, w.order, small);
        problem = testing::AsGeneral(small);
      }
      Compare(problem, scratch, rows[{"cone", n}]);
      CompareLcp(problem, lemke, rows[{"lcp", n}]);
    }
  }
  fmt::print(
      "kind,contacts,problems,ours_us,siconos_us,ours_failed,siconos_failed,largest_difference,median_difference,"
      "ours_worst_residual\n");
  for (auto& [key, row] : rows) {
    if (row.problems == 0) continue;
    std::sort(row.differences.begin(), row.differences.end());
    const double largest = row.differences.empty() ? 0 : row.differences.back();
    const double median = row.differences.empty() ? 0 : row.differences[row.differences.size() / 2];
    fmt::print("{},{},{},{:.2f},{:.2f},{},{},{:.1e},{:.1e},{:.1e}\n", key.first, key.second, row.problems,
               1e6 * row.ours / row.problems, 1e6 * row.theirs / row.problems, row.ours_failed, row.failed, largest,
               median, row.residual);
  }
  return 0;
}
