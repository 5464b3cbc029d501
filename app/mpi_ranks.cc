// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "app/mpi_ranks.h"

#ifdef RICOCHET_WITH_MPI

#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <thread>

namespace ricochet::app {
namespace {

constexpr int kMessage = 1, kPart = 2;  // tags
constexpr auto kRootSpeaksFirst = std::chrono::seconds(3);

class MpiLink : public RankLink {
 public:
  MpiLink() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
  }

  int rank() const override { return rank_; }
  int count() const override { return count_; }

  void Send(std::span<const double> message) override {
    MPI_Send(message.data(), static_cast<int>(message.size()), MPI_DOUBLE, 0, kMessage, MPI_COMM_WORLD);
  }

  std::int64_t Receive() override {
    std::int64_t part = -1;
    MPI_Recv(&part, 1, MPI_INT64_T, 0, kPart, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return part;
  }

  bool Poll(int& from, std::vector<double>& message) override {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, kMessage, MPI_COMM_WORLD, &there, &status);
    if (!there) return false;
    from = status.MPI_SOURCE;
    int size = 0;
    MPI_Get_count(&status, MPI_DOUBLE, &size);
    message.resize(static_cast<std::size_t>(size));
    MPI_Recv(message.data(), size, MPI_DOUBLE, from, kMessage, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return true;
  }

  void Answer(int to, std::int64_t part) override { MPI_Send(&part, 1, MPI_INT64_T, to, kPart, MPI_COMM_WORLD); }

  void Broadcast(std::span<double> values) override {
    MPI_Bcast(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }

 private:
  int rank_ = 0, count_ = 1;
};

std::unique_ptr<MpiLink> link;

/// What OpenMPI, MPICH and srun set for the processes they start.
bool StartedAsRank() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
    if (std::getenv(name)) return true;
  }
  return false;
}

/// Ranks of one machine talk through shared memory. OpenMPI looks for networks all the same, which takes twice as long
/// as all the rest of its start, unless it is given a layer of its own to use. What the user has set is kept.
void PreferSharedMemory() {
  const char *all = std::getenv("OMPI_COMM_WORLD_SIZE"), *here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (all && here && std::string_view(all) == here) setenv("OMPI_MCA_pml", "ob1", 0);
}

}  // namespace

RankLink* ProgramRanks() { return link && link->count() > 1 ? link.get() : nullptr; }

MpiScope::MpiScope() {
  if (!StartedAsRank()) return;
  PreferSharedMemory();
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  link = std::make_unique<MpiLink>();
}

MpiScope::~MpiScope() {
  if (!link) return;
  link.reset();
  MPI_Finalize();
}

void MpiScope::LetRootSpeak() const {
  if (!IsRoot()) std::this_thread::sleep_for(kRootSpeaksFirst);
}

void MpiScope::EndAll(int status) const {
  if (ProgramRanks()) MPI_Abort(MPI_COMM_WORLD, status);
}

}  // namespace ricochet::app

#else

namespace ricochet::app {

RankLink* ProgramRanks() { return nullptr; }

MpiScope::MpiScope() = default;
MpiScope::~MpiScope() = default;
void MpiScope::LetRootSpeak() const {}
void MpiScope::EndAll(int /*status*/) const {}

}  // namespace ricochet::app

#endif

namespace ricochet::app {

bool IsRoot() { return !ProgramRanks() || ProgramRanks()->rank() == 0; }

}  // namespace ricochet::app
