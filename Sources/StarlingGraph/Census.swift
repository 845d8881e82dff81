import CThread

/// How much of the graph this thread has made and not freed, for tests that ask whether all of it went.
///
/// Only differences on one thread mean something: what one thread makes another may free.
package struct Census: Hashable, Sendable {
  package var homes: Int64
  package var sources: Int64
  /// Links that stand in a source's list.
  package var links: Int64
  /// Links that were ever made, freed or not.
  package var linksEver: Int64
  /// Observers and derived values.
  package var readers: Int64

  /// The count as it stands.
  package static var ofThisThread: Census {
    let census = thisThread().pointee.census
    return Census(
      homes: census.homes, sources: census.sources, links: census.links, linksEver: census.links_ever,
      readers: census.readers)
  }
}
