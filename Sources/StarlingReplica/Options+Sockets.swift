package import StarlingEngine
package import StarlingZeroMQ

extension BareReplica.Options {
  /// Where the processes of a group find each other.
  ///
  /// - Throws: `LinkError`, see `IPCDirectory` and `UnixGroup`.
  package func sockets(of group: String) throws(LinkError) -> IPCDirectory {
    var sharedWith: UnixGroup?
    if let socketGroup { sharedWith = try UnixGroup(named: socketGroup) }
    return try IPCDirectory(group: group, parent: socketDirectory, sharedWith: sharedWith)
  }
}
