import ArgumentParser
import Starling

extension StarlingCommand {
  struct Forget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a document for good, at every member of the group.",
      discussion: """
        Daemons remove it from their disks, programs that have it open read it as empty and can no longer write it, and \
        members that were away delete it when they return. Nothing restores it, and its name cannot be used again in the \
        group, so dump it first if it may be needed.

        Over TCP the key that this command dials with needs the role 'relays' at the daemon. The main document, which has the \
        group's name, stays: empty it with 'starling load'.

          starling dump library --document drafts > drafts.json
          starling forget library drafts
        """)

    @OptionGroup var membership: Membership
    @Argument(help: "The document's name.") var document: String
    @Flag(help: "One JSON object.") var json = false

    func validate() throws {
      guard DocumentID(document) != nil else {
        throw ValidationError("A document's name has 1 to 200 bytes; '\(document)' has \(document.utf8.count).")
      }
    }

    func run() async throws {
      guard let id = DocumentID(document) else { return }
      try await membership.join { joined in
        guard await !joined.replica.status().peers.isEmpty else {
          throw Failure(
            "Nobody else is in '\(membership.group)', so nothing was forgotten. Start a process of the group, or name a "
              + "daemon with --connect.")
        }
        do {
          try await joined.replica.forget(id, confirmedBy: 1, timeout: membership.patience)
        } catch let error as FlushError where error.code == .timedOut {
          throw Failure(
            "No other member said within \(membership.patience) that it forgot '\(document)'. It may run a version that does "
              + "not know how, or its key list may not let this key (it needs the role 'relays'): look at 'starling doctor'."
          )
        } catch let error as ForgetError {
          throw Failure(error.message)
        }
        if json {
          put(JSONValue.object([.init("forgotten", .string(document))]).description)
        } else {
          say("'\(document)' is forgotten, and another member has it so on disk or tells the others.")
        }
      }
    }
  }
}
