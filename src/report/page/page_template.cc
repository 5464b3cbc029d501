// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/page/page_template.h"

// The assembler takes the file as it is; RICOCHET_PAGE_TEMPLATE comes from CMake.
asm(R"(
    .section .rodata
    .global ricochet_page_template_begin
    .global ricochet_page_template_end
ricochet_page_template_begin:
    .incbin ")" RICOCHET_PAGE_TEMPLATE R"("
ricochet_page_template_end:
    .byte 0
    .text
)");

extern "C" const char ricochet_page_template_begin[];
extern "C" const char ricochet_page_template_end[];

namespace ricochet {

std::string_view PageTemplate() {
  return {ricochet_page_template_begin,
          static_cast<std::size_t>(ricochet_page_template_end - ricochet_page_template_begin)};
}

}  // namespace ricochet
