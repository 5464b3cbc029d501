// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// contacts.csv: a row per closed contact and step.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/atomic_file.h"
#include "result/contact_record.h"
#include "ricochet/scene.h"

namespace ricochet {

/// "point", "line", "surface".
std::string_view KindName(ContactKind kind);

/// Streams contacts to a file that is there whole or not at all.
///
/// Planar: t,pair,contact,gap,normal_impulse,tangential_impulse,px,py,mode. Spatial: tangential_impulse_x and _y in the
/// surface's frame, and pz. With patches also torsional_impulse, kind, active_facets (N of Xie) and the contact point
/// on both bodies: ax,ay,az in the first body's frame, bx,by,bz in the other's or the surface's.
class ContactsFile {
 public:
  ContactsFile(const std::string& file, Space space, bool patches, std::vector<std::string> pair_names);

  /// `time` is the end of the step.
  void Append(double time, const ContactRecord& contact);
  void Commit();

 private:
  AtomicFile file_;
  Space space_;
  bool patches_;
  std::vector<std::string> pair_names_;
};

}  // namespace ricochet
