// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/event/event_motion.h"

#include "steppers/event/event_lasting.inl"
#include "steppers/event/event_motion.inl"
#include "steppers/event/event_transitions.inl"

namespace ricochet {

template class EventMotion<double>;
template class EventMotion<EventJet>;

}  // namespace ricochet
