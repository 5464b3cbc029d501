// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Places that contacts contradict: a unit or an axis that no fall shows, and bodies of another size.
#pragma once

#include <optional>

#include "examine/contact_evidence.h"
#include "examine/suspicion.h"

namespace ricochet {

/// A unit or an axis that no fall shows, but with which contacts are at the surface and flights have gravity.
std::optional<Suspicion> FindPlace(const Subject& subject, const ContactEvidence& recorded);

/// Contacts that share a factor of the heights that the scene's shape gives, or a distance from the surface.
std::optional<Mistake> FindOtherSize(const Subject& subject, const ContactEvidence& evidence);

}  // namespace ricochet
