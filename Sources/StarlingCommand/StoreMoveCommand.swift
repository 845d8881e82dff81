import ArgumentParser
import Starling
import StarlingReplica
import StarlingTerminal

extension StarlingCommand {
  struct Store: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Move a daemon's store to another place.", subcommands: [Move.self])
  }
}

extension StarlingCommand.Store {
  struct Move: AsyncParsableCommand {
    enum Place: String, CaseIterable, ExpressibleByArgument {
      case sqlite, jetstream
    }

    static let configuration = CommandConfiguration(
      abstract: "Move a store from its directory into a stream of a NATS cluster, or back.",
      discussion: """
        Stop the daemon first. All is copied, read again and compared before the former place is released; at every \
        moment one of the two is the store, and the other cannot be opened. The store keeps its name, and the daemon goes \
        on under its replica id where it was stopped in good order. A move that was broken off is finished by the same command.

          starling store move /var/lib/starling --to jetstream --cluster nats://a:4222 --log-name a
          starling store move /var/lib/starling --to sqlite --cluster nats://a:4222 --log-name a

        Status: 1 where nothing is moved; standard error says why.
        """)

    @Argument(help: "The directory: of the store, or where it is to be.", completion: .directory) var directory: String
    @Option(help: "Where the store is to be.") var to: Place
    @Option(help: ArgumentHelp("The servers of the cluster, separated by commas.", valueName: "servers"))
    var cluster: String
    @Option(help: ArgumentHelp("The name of the log in the stream.", valueName: "name")) var logName: String
    @Option(help: ArgumentHelp("On how many servers the stream is kept: 1, 3 or 5.", valueName: "count"))
    var logReplicas = 3
    @Option(help: ArgumentHelp("Show the servers this file of credentials (.creds).", valueName: "file"))
    var clusterCreds: String?
    @Option(help: ArgumentHelp("Show the servers the NKEY whose seed is in this file (.nk).", valueName: "file"))
    var clusterNkey: String?
    @Option(help: ArgumentHelp("Talk TLS, and believe the authorities in this file (PEM) alone.", valueName: "file"))
    var clusterTlsCa: String?
    @Option(help: ArgumentHelp("Show the servers this certificate (PEM).", valueName: "file"))
    var clusterTlsCert: String?
    @Option(help: ArgumentHelp("The secret key (PEM) of --cluster-tls-cert.", valueName: "file"))
    var clusterTlsKey: String?
    @Flag(help: "One JSON object.") var json = false

    func run() async throws {
      try await sayingWhatFails {
        let path = absolutePath(directory)
        var servers = BareReplica.Options.Cluster(servers: cluster.split(separator: ",").map(String.init))
        servers.credentials = clusterCreds
        servers.nkey = clusterNkey
        servers.tlsAuthorities = clusterTlsCa
        servers.tlsCertificate = clusterTlsCert
        servers.tlsKey = clusterTlsKey
        var place = BareReplica.Options.JetStream()
        place.name = logName
        place.replicas = logReplicas
        let display = ProgressDisplay("Moving '\(directory)'")
        defer { display.end() }
        let show = { (done: Int, all: Int) in
          display.show(ProgressLine.Count(UInt64(done), of: UInt64(all), "documents"))
        }
        let report =
          switch to {
          case .jetstream: try await StoreMove.toStream(path, place, at: servers, progress: show)
          case .sqlite: try await StoreMove.toDirectory(path, place, at: servers, progress: show)
          }
        display.end()
        if json {
          let object: JSONValue = [
            "store": .string(report.store.description), "documents": .integer(Int64(report.documentCount)),
            "operations": .unsigned(report.operationCount),
          ]
          put(object.description)
        } else {
          let target = to == .jetstream ? "the stream STARLING_\(logName)" : "'\(directory)'"
          say(
            "\(target) holds the store \(report.store): \(report.documentCount) "
              + "\(report.documentCount == 1 ? "document" : "documents") with \(report.operationCount) operations, "
              + "equal to what it was copied from.")
          if to == .jetstream {
            say(
              "Start the daemon with --log jetstream --log-name \(logName). What is left in '\(directory)' may be removed."
            )
          }
        }
      }
    }
  }
}
