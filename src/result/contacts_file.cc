// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "result/contacts_file.h"

#include <fmt/format.h>

namespace ricochet {

std::string_view KindName(ContactKind kind) {
  switch (kind) {
    case ContactKind::kPoint:
      return "point";
    case ContactKind::kLine:
      return "line";
    case ContactKind::kSurface:
      return "surface";
  }
  return "";
}

ContactsFile::ContactsFile(const std::string& file, Space space, bool patches, std::vector<std::string> pair_names)
    : file_(file), space_(space), patches_(patches), pair_names_(std::move(pair_names)) {
  file_.Write(space == Space::kPlanar
                  ? "t,pair,contact,gap,normal_impulse,tangential_impulse,px,py,mode"
                  : "t,pair,contact,gap,normal_impulse,tangential_impulse_x,tangential_impulse_y,px,py,pz,mode");
  if (patches_) file_.Write(",torsional_impulse,kind,active_facets,ax,ay,az,bx,by,bz");
  file_.Write("\n");
}

void ContactsFile::Append(double time, const ContactRecord& c) {
  fmt::basic_memory_buffer<char, 512> row;
  const auto out = std::back_inserter(row);
  fmt::format_to(out, "{},{},{},{},{}", time, pair_names_[c.pair], c.contact, c.gap, c.normal_impulse);
  if (space_ == Space::kPlanar) {
    fmt::format_to(out, ",{},{},{}", c.tangential_impulse.x(), c.p_WC.x(), c.p_WC.y());
  } else {
    fmt::format_to(out, ",{},{},{},{},{}", c.tangential_impulse.x(), c.tangential_impulse.y(), c.p_WC.x(), c.p_WC.y(),
                   c.p_WC.z());
  }
  fmt::format_to(out, ",{}", c.slip == SlipState::kStick ? "stick" : "slide");
  if (patches_) {
    fmt::format_to(out, ",{},{},{},{},{},{},{},{},{}", c.torsional_impulse, KindName(c.kind), c.active_facets,
                   c.p_BC.x(), c.p_BC.y(), c.p_BC.z(), c.p_OC.x(), c.p_OC.y(), c.p_OC.z());
  }
  row.push_back('\n');
  file_.Write({row.data(), row.size()});
}

void ContactsFile::Commit() { file_.Commit(); }

}  // namespace ricochet
