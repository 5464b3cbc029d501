// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/atomic_file.h"
#include "core/hash.h"
#include "report/page/page_data.h"
#include "report/page/page_template.h"
#include "ricochet/report.h"

namespace ricochet {
namespace {

/// Base64 (RFC 4648), streamed.
void WriteBase64(std::string_view bytes, AtomicFile& file) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::size_t kChunk = 3 * 16384;
  for (std::size_t from = 0; from < bytes.size(); from += kChunk) {
    const std::string_view part = bytes.substr(from, kChunk);
    char* const begin = file.Reserve(kChunk / 3 * 4);
    char* out = begin;
    for (std::size_t i = 0; i < part.size(); i += 3) {
      const auto byte = [&](std::size_t k) {
        return k < part.size() ? static_cast<unsigned>(static_cast<unsigned char>(part[k])) : 0U;
      };
      const unsigned three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
      *out++ = kDigits[three >> 18];
      *out++ = kDigits[three >> 12 & 63];
      *out++ = i + 1 < part.size() ? kDigits[three >> 6 & 63] : '=';
      *out++ = i + 2 < part.size() ? kDigits[three & 63] : '=';
    }
    file.Advance(static_cast<std::size_t>(out - begin));
  }
}

}  // namespace

std::vector<EstimateInput> HashFiles(const std::vector<std::string>& files) {
  std::vector<EstimateInput> out;
  for (const std::string& file : files)
    if (!file.empty()) out.push_back({file, Sha256OfFile(file)});
  return out;
}

void WriteReport(const ReportData& data, const std::string& file_name) {
  const std::string_view page = PageTemplate();
  const std::size_t mark = page.find(kDataMark);
  if (mark == std::string_view::npos) throw std::logic_error("the page template has no place for data");
  const PageData content = MakePageData(data);
  AtomicFile file(file_name);
  file.Write(page.substr(0, mark));
  file.Write("<script type=\"application/json\" id=\"ricochet-json\">");
  file.Write(content.json);
  file.Write("</script>\n<script type=\"text/plain\" id=\"ricochet-bytes\">");
  WriteBase64(content.bytes, file);
  file.Write("</script>");
  file.Write(page.substr(mark + kDataMark.size()));
  file.Commit();
}

}  // namespace ricochet
