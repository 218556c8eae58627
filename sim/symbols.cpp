// Source lines from DWARF, with elfutils: line tables for hashes, scopes for reports.
#include "sim/symbols.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "sim/engine.h"
#include "sim/site_hash.h"
#include "sim/where.h"

namespace rankle::sim {
namespace {

struct LineRow {
  std::uintptr_t address = 0;
  std::size_t order = 0;  // in the line table: of several rows for one address the last one counts
  std::uint64_t hash = 0;
};

std::uint64_t hash_text(const char* text, std::uint64_t seed) {
  std::uint64_t h = 0xcbf29ce484222325 ^ seed;
  for (; *text != 0; ++text) h = (h ^ static_cast<unsigned char>(*text)) * 0x100000001b3;
  return h;
}

// A path as reports show it: relative to the repository. The build maps the source folder away with
// -ffile-prefix-map; what the compiler still made absolute through its working folder is cut here.
std::string shown_path(const char* path) {
  std::string text = path == nullptr ? "" : path;
  for (const char* folder : {"/kernels/", "/harness/targets/", "/sim/", "/tests/"}) {
    const std::size_t at = text.rfind(folder);
    if (!text.empty() && text[0] == '/' && at != std::string::npos) return text.substr(at + 1);
  }
  if (text.rfind("./", 0) == 0) text.erase(0, 2);
  return text;
}

std::string name_of_die(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(die, DW_AT_name, &attribute) != nullptr) {
    const char* const name = dwarf_formstring(&attribute);
    if (name != nullptr) {
      // "reduce<float, 4>" and "reduce<__half, 2>" are one function to a reader and to a signature.
      const char* const angle = std::strchr(name, '<');
      return angle == nullptr ? name : std::string(name, angle);
    }
  }
  return "?";
}

bool is_function(Dwarf_Die* die) {
  const int tag = dwarf_tag(die);
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

int call_line(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr(die, DW_AT_call_line, &attribute) != nullptr) dwarf_formudata(&attribute, &value);
  return static_cast<int>(value);
}

std::string call_file(Dwarf_Die* cu, Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  Dwarf_Word index = 0;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(die, DW_AT_call_file, &attribute) == nullptr) return "";
  dwarf_formudata(&attribute, &index);
  if (dwarf_getsrcfiles(cu, &files, &count) != 0 || index >= count) return "";
  return shown_path(dwarf_filesrc(files, index, nullptr, nullptr));
}

// The function that holds `address` and the inlined calls in it, outermost first. dwarf_getscopes
// does not look into namespaces, where clang puts what is defined in them.
void functions_around(Dwarf_Die* parent, std::uintptr_t address, std::vector<Dwarf_Die>& scopes) {
  Dwarf_Die die;
  if (dwarf_child(parent, &die) != 0) return;
  do {
    const int tag = dwarf_tag(&die);
    const bool holds_names =
        tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
    const bool holds_code = is_function(&die) || tag == DW_TAG_lexical_block;
    if (!holds_names && !(holds_code && dwarf_haspc(&die, address) == 1)) continue;
    if (is_function(&die)) scopes.push_back(die);
    const std::size_t found = scopes.size();
    functions_around(&die, address, scopes);
    if (holds_code || scopes.size() != found) return;
  } while (dwarf_siblingof(&die, &die) == 0);
}

}  // namespace

struct Symbols::DebugFile {
  int descriptor = -1;
  Dwarf* dwarf = nullptr;
  std::vector<LineRow> rows;
  bool rows_read = false;

  ~DebugFile() {
    if (dwarf != nullptr) dwarf_end(dwarf);
    if (descriptor >= 0) close(descriptor);
  }

  bool unit_of(std::uintptr_t address, Dwarf_Die* unit) {
    Dwarf_Off offset = 0;
    Dwarf_Off next = 0;
    std::size_t header = 0;
    while (dwarf_nextcu(dwarf, offset, &next, &header, nullptr, nullptr, nullptr) == 0) {
      if (dwarf_offdie(dwarf, offset + header, unit) != nullptr &&
          dwarf_haspc(unit, address) == 1) {
        return true;
      }
      offset = next;
    }
    return false;
  }

  void read_rows() {
    rows_read = true;
    Dwarf_Off offset = 0;
    Dwarf_Off next = 0;
    std::size_t header = 0;
    while (dwarf_nextcu(dwarf, offset, &next, &header, nullptr, nullptr, nullptr) == 0) {
      Dwarf_Die unit;
      Dwarf_Lines* lines = nullptr;
      std::size_t count = 0;
      if (dwarf_offdie(dwarf, offset + header, &unit) != nullptr &&
          dwarf_getsrclines(&unit, &lines, &count) == 0) {
        for (std::size_t i = 0; i < count; ++i) {
          Dwarf_Line* const line = dwarf_onesrcline(lines, i);
          Dwarf_Addr address = 0;
          int number = 0;
          dwarf_lineaddr(line, &address);
          dwarf_lineno(line, &number);
          const std::string path = shown_path(dwarf_linesrc(line, nullptr, nullptr));
          rows.push_back(
              {address, rows.size(), hash_text(path.c_str(), static_cast<std::uint64_t>(number))});
        }
      }
      offset = next;
    }
    std::sort(rows.begin(), rows.end(), [](const LineRow& a, const LineRow& b) {
      return a.address != b.address ? a.address < b.address : a.order < b.order;
    });
  }
};

Symbols::Symbols() = default;
Symbols::~Symbols() = default;

Symbols::DebugFile* Symbols::open(const std::string& file) {
  std::unique_ptr<DebugFile>& entry = files_[file];
  if (entry != nullptr) return entry.get();
  entry = std::make_unique<DebugFile>();
  entry->descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (entry->descriptor >= 0) entry->dwarf = dwarf_begin(entry->descriptor, DWARF_C_READ);
  return entry.get();
}

void Symbols::add_module(std::uintptr_t load_base, std::size_t bytes, const std::string& file) {
  const auto overlaps = [&](const Module& m) {
    return m.base < load_base + bytes && load_base < m.base + m.bytes;
  };
  // An address range that a closed module had may be taken by the next one.
  std::erase_if(modules_, overlaps);
  std::erase_if(chains_, [&](const auto& entry) { return entry.first - load_base < bytes; });
  modules_.push_back({load_base, bytes, open(file)});
}

const Symbols::Module* Symbols::module_of(std::uintptr_t pc) {
  for (const Module& m : modules_) {
    if (pc - m.base < m.bytes) return &m;
  }
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(pc), &info) == 0 || info.dli_fname == nullptr) return nullptr;
  // The main program's own name may be relative to a folder that is no longer current.
  struct Found {
    std::uintptr_t pc, base = 0;
    std::size_t bytes = 0;
    std::string file;
  } found{pc, 0, 0, info.dli_fname};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* argument) {
        auto* f = static_cast<Found*>(argument);
        std::size_t end = 0;
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& header = object->dlpi_phdr[i];
          if (header.p_type == PT_LOAD) end = std::max(end, header.p_vaddr + header.p_memsz);
        }
        if (f->pc - object->dlpi_addr >= end) return 0;
        f->base = object->dlpi_addr;
        f->bytes = end;
        if (object->dlpi_name == nullptr || object->dlpi_name[0] == 0) f->file = "/proc/self/exe";
        return 1;
      },
      &found);
  if (found.bytes == 0) return nullptr;
  modules_.push_back({found.base, found.bytes, open(found.file)});
  return &modules_.back();
}

std::vector<SourceLine> Symbols::look_up(std::uintptr_t pc) {
  const Module* const m = module_of(pc);
  if (m == nullptr || m->file->dwarf == nullptr) return {};
  const std::uintptr_t address = pc - 1 - m->base;
  Dwarf_Die unit;
  if (!m->file->unit_of(address, &unit)) return {};
  SourceLine line;
  if (Dwarf_Line* const row = dwarf_getsrc_die(&unit, address); row != nullptr) {
    dwarf_lineno(row, &line.line);
    line.file = shown_path(dwarf_linesrc(row, nullptr, nullptr));
  }
  std::vector<SourceLine> chain;
  std::vector<Dwarf_Die> scopes;
  functions_around(&unit, address, scopes);
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    line.function = name_of_die(&*scope);
    chain.push_back(line);
    line.file = call_file(&unit, &*scope);
    line.line = call_line(&*scope);
  }
  return chain;
}

const std::vector<SourceLine>& Symbols::chain_of(std::uintptr_t pc) {
  const auto known = chains_.find(pc);
  if (known != chains_.end()) return known->second;
  return chains_.emplace(pc, look_up(pc)).first->second;
}

std::uint64_t Symbols::line_hash(std::uintptr_t pc) {
  const Module* const m = module_of(pc);
  if (m == nullptr || m->file->dwarf == nullptr) return 0;
  if (!m->file->rows_read) m->file->read_rows();
  const std::uintptr_t address = pc - 1 - m->base;
  const std::vector<LineRow>& rows = m->file->rows;
  auto row = std::upper_bound(rows.begin(), rows.end(), address,
                              [](std::uintptr_t a, const LineRow& r) { return a < r.address; });
  return row == rows.begin() ? 0 : std::prev(row)->hash;
}

Symbols& symbols() {
  static Symbols instance;
  return instance;
}

SourceLine innermost_telling(const std::vector<SourceLine>& chain) {
  const auto is_plumbing = [](const SourceLine& line) {
    return line.file.rfind("sim/", 0) == 0 || line.file == "kernels/atomic.h" ||
           line.file == "kernels/pack.h" || line.file == "kernels/dtype.h";
  };
  for (const SourceLine& line : chain) {
    if (!is_plumbing(line)) return line;
  }
  return chain.empty() ? SourceLine{} : chain.front();
}

std::string place_of(std::uintptr_t pc) {
  const SourceLine line = innermost_telling(symbols().chain_of(pc));
  return line.file + ":" + std::to_string(line.line);
}

std::uint64_t site_hash(std::uintptr_t pc) {
  // Direct-mapped. Modules stay loaded for the life of a worker, so an entry never goes stale.
  struct Slot {
    std::uintptr_t pc = 0;
    std::uint64_t hash = 0;
  };
  static Slot slots[4096];
  Slot& slot = slots[(pc * 0x9e3779b97f4a7c15) >> 52];
  if (slot.pc != pc) {
    // Reading debug information needs more stack than a fiber has.
    Engine::instance().on_main_stack([&] { slot = {pc, symbols().line_hash(pc)}; });
  }
  return slot.hash;
}

void register_module(std::uintptr_t load_base, std::size_t size, const std::string& file) {
  symbols().add_module(load_base, size, file);
}

bool source_of(std::uintptr_t pc, SourceLine& line) {
  line = innermost_telling(symbols().chain_of(pc));
  return !line.file.empty();
}

}  // namespace rankle::sim
