// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// All of Ricochet: calibrated contact models from recorded motion.
//
//     #include <ricochet/ricochet.h>
//
//     int main() {
//       const ricochet::Scene scene = ricochet::ReadScene("box.yaml");
//       const ricochet::Recording toss = ricochet::ReadRecording("toss.csv");
//       const ricochet::Identification result = ricochet::Identify(scene, {toss}, "contact.friction");
//       std::cout << ricochet::DescribeEstimate(result.estimate);
//     }
//
// Inputs
//   scene.h             bodies, surfaces, joints and contact laws; read from YAML
//   parameter.h         paths of the parameters of a scene, their units and bounds
//   recording.h         measured motion: a table over time; recording_check.h checks arrays where they are
//   import.h            files of other programs as scenes and recordings
//   examine.h           what to check before trusting recordings
//   calibrate_frame.h   where the tracked frame is on a body, and where the surface is
//   project.h           planar experiments that were recorded in space
//   split.h             long takes as recordings of one toss, slide or swing each
// Computing
//   context.h           threads, seed, progress and cancelling of every call
//   simulate.h          a scene's motion, impulses and energy
//   simulator.h         step by step, with derivatives; rollout_batch.h many simulations at once
//   identify.h          parameters from recordings
//   identifiability.h   which parameters recordings or a planned motion can identify
//   validate.h          how well a scene predicts recordings; cross_validate.h on recordings not seen
//   sweep.h             the cost over a grid of parameters
//   predict.h           where tosses come to rest
//   methods.h           steppers and estimators with their options
//   reproduce.h         the papers' experiments
// Results
//   estimate.h          estimated parameters, their covariance and the evidence
//   evaluation.h        cost maps, errors and rest poses
//   report.h            one page that shows a result
//   error.h             what is thrown
#pragma once

#include "ricochet/calibrate_frame.h"
#include "ricochet/context.h"
#include "ricochet/cross_validate.h"
#include "ricochet/error.h"
#include "ricochet/estimate.h"
#include "ricochet/evaluation.h"
#include "ricochet/examine.h"
#include "ricochet/identifiability.h"
#include "ricochet/identify.h"
#include "ricochet/import.h"
#include "ricochet/methods.h"
#include "ricochet/parameter.h"
#include "ricochet/predict.h"
#include "ricochet/project.h"
#include "ricochet/ranks.h"
#include "ricochet/recording.h"
#include "ricochet/recording_check.h"
#include "ricochet/report.h"
#include "ricochet/reproduce.h"
#include "ricochet/rollout_batch.h"
#include "ricochet/scene.h"
#include "ricochet/scene_builder.h"
#include "ricochet/simulate.h"
#include "ricochet/simulator.h"
#include "ricochet/split.h"
#include "ricochet/sweep.h"
#include "ricochet/validate.h"
#include "ricochet/version.h"
