import ArgumentParser

/// The operator's view of a group, and hand in it.
@main
struct StarlingCommand: AsyncParsableCommand {
  static let version = "starling 0.2.0"

  static let configuration = CommandConfiguration(
    commandName: "starling",
    abstract: "Reads and writes a group's documents, and finds what is wrong.",
    discussion: """
      It joins the group for a moment as a member in memory; commands that read change nothing. GROUP is the group's \
      name, which is also that of its main document; --document names another. PATH names a place in the document: books/0/title, or as \
      a JSON Pointer /books/0/title.

      Results go to standard output, as JSON with --json; everything else goes to standard error.

      Status: 0 done; 1 not done, and standard error says why; 2 done with what could be reached, as a member did not \
      answer in time; 64 the command line is wrong.

      Completion for a shell: starling --generate-completion-script bash (or zsh, or fish).
      """,
    version: version,
    groupedSubcommands: [
      CommandGroup(name: "Who is there:", subcommands: [Status.self, Peers.self, Documents.self, Doctor.self]),
      CommandGroup(
        name: "What they hold:",
        subcommands: [
          Get.self, SetValue.self, Feed.self, Watch.self, Dump.self, Load.self, History.self, Diff.self, Forget.self,
        ]),
      CommandGroup(
        name: "What a daemon has on its disk:", subcommands: [Backup.self, Restore.self, Verify.self, Store.self]),
      CommandGroup(
        name: "Which peers they let in, and what they say:", subcommands: [Keys.self, Frames.self, ComeAndGo.self]),
    ])

  static func main() async {
    await main(KeyArguments.sorted(Array(CommandLine.arguments.dropFirst())))
  }
}
