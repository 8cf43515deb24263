// SPDX-License-Identifier: MIT OR Apache-2.0
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <string>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/bench.h"
#include "cli/check.h"
#include "cli/command.h"
#include "cli/devices.h"
#include "cli/emit.h"
#include "cli/explain.h"
#include "cli/interrupts.h"
#include "cli/number.h"
#include "cli/run.h"
#include "cli/words.h"
#include "runtime/plan.h"
#include "runtime/trace.h"

namespace vyre::cli {
namespace {

constexpr const char* kSources =
    R"(SOURCE is a file.npy, a file.png, a list 1,2,3, zeros:N, range:N, random:N[:SEED], - for
standard input, or any other file of raw bytes.  FILE is a file.npy, .png or .csv, - to print, or
any other file (as .bin) for raw bytes.  Without -o a summary of every output is printed.

  vyre run saxpy.wgsl -s params.n=1000 -s params.alpha=2 -i x=x.npy -i y=y.npy -o y=out.npy
  vyre run image.wgsl -n pixels=65536 --threads 256,256 --shape pixels=256,256 -o pixels=image.png)";

constexpr const char* kStatuses =
    R"(Exit status: 0 done, 1 the kernel is faulty or trapped, 2 the command or its data is wrong,
3 no such device, or it failed.)";

constexpr const char* kEnvironment =
    R"(Environment: VYRE_DEVICE is what auto takes, VYRE_TRACE a file for what happened when,
VYRE_CACHE_DIR the folder that keeps kernels, VYRE_WGPU_LIBRARY the WebGPU library.)";

/// What a validator returns is a message, or nothing if the word is right.
std::string check_given(std::string& word) {
  return word.find_first_not_of(' ') == std::string::npos ? "its value is empty" : "";
}

/// An option of one word.  An empty one, as a script's unset variable leaves, is no word.
CLI::Option* add_word(CLI::App& app,
                      const std::string& name,
                      std::string& word,
                      const std::string& type,
                      const std::string& help) {
  return app.add_option(name, word, help)
      ->type_name(type)
      ->transform(CLI::Validator(check_given, "", "given"));
}

/// Each use of the option gives one word; what follows it is no second one.
CLI::Option* add_words(CLI::App& app,
                       const std::string& name,
                       std::vector<std::string>& words,
                       const std::string& type,
                       const std::string& help) {
  return app.add_option(name, words, help)->type_name(type)->allow_extra_args(false)->take_all();
}

void add_kernel(CLI::App& app, KernelWords& words) {
  app.add_option("KERNEL", words.files, "WGSL files, joined in order; - is standard input")
      ->required()
      ->type_name("");
  add_word(app, "-e,--entry", words.entry, "NAME", "the entry point, if there are several");
  add_words(app, "-c,--constant", words.constants, "CONST=VALUE", "value of an override constant");
}

void add_job(CLI::App& app, JobWords& words) {
  add_words(app, "-i,--input", words.inputs, "NAME=SOURCE", "bytes for a buffer");
  add_words(app, "-o,--output", words.outputs, "NAME=FILE", "where a buffer goes");
  add_words(app, "-n,--count", words.counts, "NAME=COUNT",
            "elements of a buffer without bytes: a number, WIDTHxHEIGHT, or another buffer's name");
  add_words(app, "-s,--set", words.members, "PATH=VALUE",
            "a member of a buffer: params.width=640, light.at.x=1");
  add_words(app, "--shape", words.shapes, "NAME=H,W",
            "rows of a buffer without bytes, and of its .npy, .png or .csv");
  app.add_flag("--pad", words.pad, "let raw inputs end within an element: zero bytes are added");
  add_word(app, "-g,--grid", words.grid, "X[,Y[,Z]]", "workgroups to run");
  add_word(app, "--threads", words.threads, "X[,Y[,Z]]",
           "invocations to run, rounded up to workgroups");
}

std::string check_repeat(std::string& word) {
  const auto number = parse_number(word);
  if (number && *number >= 1 && *number <= kMaxRepeat) return {};
  return ticked(word) + " is no number from 1 to " + std::to_string(kMaxRepeat);
}

std::string check_timeout(std::string& word) {
  const auto seconds = parse_double(word);
  if (seconds && *seconds > 0 && *seconds <= 1e9) return {};
  return ticked(word) + " is no number of seconds above 0 and up to 1e9";
}

void add_run(CLI::App& root, RunWords& words) {
  CLI::App& app = *root.add_subcommand("run", "Run a kernel on data");
  add_kernel(app, words.kernel);
  add_job(app, words.job);
  add_word(app, "-d,--device", words.device, "DEVICE",
           "auto, cpu, wgpu[:N] or a part of a device's name; auto obeys VYRE_DEVICE");
  app.add_option("-r,--repeat", words.repeat, "launches over the same buffers, one after the other")
      ->type_name("N")
      ->transform(CLI::Validator(check_repeat, "", "repeat"));
  add_word(app, "--swap", words.swap, "A,B",
           "two buffers that change places after each launch of -r");
  app.add_option("--timeout", words.timeout_s, "give up after so long; 30 if not given")
      ->type_name("SECONDS")
      ->transform(CLI::Validator(check_timeout, "", "timeout"));
  app.add_flag("--time", words.time, "say how long it took");
  app.add_flag("--strict-float", words.strict_float,
               "round every f32 operation by itself on every device");
  app.add_flag("--json", words.json, "print a report as JSON");
  app.footer(std::string(kSources) + "\n\n" + kStatuses);
  app.callback([&words] { run(words); });
}

void add_check(CLI::App& root, CheckWords& words) {
  CLI::App& app = *root.add_subcommand("check", "Report every fault of a kernel");
  add_kernel(app, words.kernel);
  app.add_flag("--json", words.json, "print the faults, or the entry points, as JSON");
  app.callback([&words] { check(words); });
}

void add_emit(CLI::App& root, EmitWords& words) {
  CLI::App& app = *root.add_subcommand("emit", "Print what a backend would compile");
  add_kernel(app, words.kernel);
  add_word(app, "-t,--target", words.target, "TARGET", "the language: wgsl or ir")->required();
  app.add_flag("--strict-float", words.strict_float, "round every f32 operation by itself");
  app.callback([&words] { emit(words); });
}

void add_devices(CLI::App& root, bool& json) {
  CLI::App& app = *root.add_subcommand("devices", "List the devices, and what is missing");
  app.add_flag("--json", json, "print as JSON");
  app.callback([&json] { devices(json); });
}

void add_explain(CLI::App& root, std::string& code) {
  CLI::App& app = *root.add_subcommand("explain", "Say what the code of an error means");
  app.add_option("CODE", code, "as in error[CODE]: type-mismatch; all are listed if left out")
      ->type_name("");
  app.callback([&code] { print(code.empty() ? explained_codes() : must(explained(code))); });
}

void add_bench(CLI::App& root, BenchWords& words) {
  CLI::App& app =
      *root.add_subcommand("bench", "Measure a device, beside the same work in the bare API");
  app.add_option("FILTER", words.filter, "rows whose names hold this; all if left out")
      ->type_name("");
  add_word(app, "-d,--device", words.device, "DEVICE", "as of vyre run");
  app.add_flag("--json", words.json, "print as JSON");
  app.callback([&words] { bench(words); });
}

std::vector<std::string> command_names(const CLI::App& root) {
  std::vector<std::string> names;
  for (const CLI::App* command : root.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

void print_help(const CLI::App& root, const std::string& command) {
  if (command.empty()) {
    print(root.get_formatter()->make_help(&root, root.get_name(), CLI::AppFormatMode::Normal));
    return;
  }
  const auto found =
      root.get_subcommands([&](const CLI::App* one) { return one->get_name() == command; });
  if (found.empty()) throw Failure(unknown("command", command, command_names(root)));
  print(found.front()->help(root.get_name()));
}

void add_help(CLI::App& root, std::string& command) {
  CLI::App& app = *root.add_subcommand("help", "Say what a command takes");
  app.add_option("COMMAND", command, "as in vyre help run; all are listed if left out")
      ->type_name("");
  app.callback([&root, &command] { print_help(root, command); });
}

// ------------------------------------------------------------------------------------- errors

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->nonpositional()) continue;
    for (const std::string& name : option->get_snames())
      names.push_back("-" + name);
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
  }
  return names;
}

/// Words that no option took: misspelt commands and options, most likely.
Error unexpected(const CLI::App& root) {
  const auto commands = root.get_subcommands();
  if (commands.empty()) {
    const std::string word = root.remaining().at(0);
    if (!word.starts_with("-")) return unknown("command", word, command_names(root));
    return wrong("usage", ticked("vyre") + " has no option " + ticked(word) + " before a command",
                 "vyre --help lists the commands");
  }
  const CLI::App& command = *commands.front();
  const std::string word = root.remaining(true).at(0);
  if (word.starts_with("-")) {
    const std::string option = word.substr(0, word.find('='));
    const bool short_one = option.size() <= 2;  // any letter is near any other
    const std::string guess = short_one ? "" : nearest(option, option_names(command));
    return wrong("usage", ticked("vyre " + command.get_name()) + " has no option " + ticked(option),
                 guess.empty() ? "vyre " + command.get_name() + " --help lists them"
                               : "did you mean " + ticked(guess) + "?");
  }
  return wrong("usage",
               ticked("vyre " + command.get_name()) + " takes no argument " + ticked(word));
}

std::string lower_first(std::string text) {
  if (text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && (text[1] < 'A' || text[1] > 'Z')) {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}

Error usage_error(const CLI::App& root, const CLI::ParseError& fault) {
  const auto commands = root.get_subcommands();
  const bool extra = dynamic_cast<const CLI::ExtrasError*>(&fault) != nullptr;
  if (extra || (commands.empty() && root.remaining_size() != 0)) return unexpected(root);
  if (commands.empty()) {
    return wrong("usage", "no command was given; there are " + listed(command_names(root)),
                 "vyre --help lists them");
  }
  const std::string words = fault.what();
  const bool repeated = words.find("At Most 1") != std::string::npos;
  return wrong("usage",
               repeated ? ticked(words.substr(0, words.find(':'))) + " may be given only once"
                        : lower_first(words),
               "vyre " + commands.front()->get_name() + " --help lists the options");
}

void report(const Failure& failure) {
  std::fflush(stdout);
  for (const Error& error : failure.errors()) {
    const std::string text = printable(error.to_string()) + "\n";
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
  if (!failure.hint().empty()) say(failure.hint());
}

// --------------------------------------------------------------------------------------- main

/// A closed standard stream would be lent to the next file that is opened.  The stand-in refuses
/// what the stream is for, so that printing fails as it should.
void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    [[maybe_unused]] const int stand_in =
        ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

Exit run_command(CLI::App& root, int argc, char** argv) {
  try {
    root.parse(argc, argv);
    finish_output();
    if (auto lost = Trace::failure()) throw Failure(*std::move(lost));
    return Exit::done;
  } catch (const CLI::Success& asked) {  // --help, --version
    root.exit(asked);
    finish_output();
    return Exit::done;
  } catch (const CLI::ParseError& fault) {
    report(Failure(usage_error(root, fault)));
    return Exit::wrong_command;
  }
}

Exit guarded(CLI::App& root, int argc, char** argv) {
  try {
    return run_command(root, argc, argv);
  } catch (const Failure& failure) {
    report(failure);
    return failure.status();
  } catch (const std::bad_alloc&) {
    report(Failure(
        Error(ErrorKind::out_of_memory, "out-of-memory", "there is not enough memory for this")));
    return Exit::wrong_command;
  }
}

Exit run_program(int argc, char** argv) {
  keep_standard_streams();
  watch_signals();
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit is an error of writing
  CLI::App root("One kernel, the same answer on every device", "vyre");
  root.set_version_flag("--version", std::string("vyre ") + VYRE_VERSION);
  root.require_subcommand(1);
  root.failure_message(CLI::FailureMessage::simple);
  RunWords run_words;
  CheckWords check_words;
  EmitWords emit_words;
  BenchWords bench_words;
  bool json = false;
  add_run(root, run_words);
  add_check(root, check_words);
  add_emit(root, emit_words);
  add_devices(root, json);
  add_bench(root, bench_words);
  std::string code;
  add_explain(root, code);
  std::string command;
  add_help(root, command);
  root.footer(std::string(kStatuses) + "\n\n" + kEnvironment);
  return guarded(root, argc, argv);
}

}  // namespace
}  // namespace vyre::cli

/// Drivers of Mesa look for a display's socket in the folder that this variable names, and complain
/// several times where it is not set.  A folder that is not there has no socket, which is no fault.
static void quiet_drivers() {
  const char* const folder = std::getenv("XDG_RUNTIME_DIR");
  if (folder == nullptr || *folder == '\0') ::setenv("XDG_RUNTIME_DIR", "/nonexistent", 1);
}

int main(int argc, char** argv) {
  quiet_drivers();
  const auto status = static_cast<int>(vyre::cli::run_program(argc, argv));
  std::fflush(stderr);
  std::_Exit(status);  // a device that is still busy is not waited for
}
