// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// How well a recorded motion agrees with the scene before anything is fitted: free flight with gravity, contact where
// the velocity jumps, spin that follows from the impulse.
//
//   gap        height of the shape's lowest point over the nearest surface. At an impact and at rest it is 0; in no
//   frame
//              is it far below 0. This does not depend on any law of contact.
//   gyration   J / m = (dw . (r x dv)) / |dw|^2 from the jumps of both velocities at an impact, with r from the center
//   of
//              mass to the contact. It is positive and of the order of the body's size squared, whatever the impulse.
//              Of discs and balls only, whose contact does not depend on the rotation that is in question.
//   twist      |dL - r x m dv| over |dL| + |r x m dv|, summed over the impacts of a body with corners, for its lowest
//              corner r and its angular momentum L. 0 where rotation, shape and inertia agree, 1 where nothing does.
#pragma once

#include <optional>
#include <vector>

#include "examine/doctor_tracks.h"

namespace ricochet {

struct ContactEvidence {
  struct Contact {
    double gap = 0, support = 0;  // [m]; `support`: height of the body's origin that the scene's shape gives
    double tolerance = 0;         // [m]
  };
  int flight_frames = 0;           // of stretches that fall with the scene's gravity
  std::vector<Contact> contacts;   // impacts, and the rest at the end
  double depth = 0;                // gap of the lowest frames, but for single ones [m]
  double touching = 0;             // share of frames at the surface
  std::optional<double> gyration;  // [m^2]; none with fewer than two impacts that turn a disc or ball
  std::optional<double> twist;     // none without an impact that turns a body with corners
  double size = 0;                 // of the body [m]
  double room = 0;                 // that size and noise leave [m]

  /// Median distance of the contacts from the surface, or how deep the lowest frames are in it where that is more [m].
  double Misfit() const;
  /// Whether corners are hit and the body turns in another sense than they push it.
  bool Twisted() const;
  /// Whether impacts turn the body against their impulse, or far more than a body of this size.
  bool TurnsWrong() const;
  /// Whether nothing contradicts the scene.
  bool Sound() const;
  /// Whether contacts confirm the scene.
  bool Confirmed() const;
};

/// What a track of the body frame shows. `gravity` in the track's axes. Needs a shape and surfaces in `body`.
ContactEvidence WeighContacts(SpatialTrack track, const DoctorBody& body, const Eigen::Vector3d& gravity);

/// Height of the shape over the nearest surface in a pose of the body frame [m]; infinite without one below it.
struct SurfaceGap {
  double gap = 0, support = 0;
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
};
SurfaceGap GapOf(const DoctorBody& body, const Eigen::Vector3d& position, const Quaternion<double>& rotation);

}  // namespace ricochet
