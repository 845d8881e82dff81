package import StarlingCore
import StarlingWire

/// The document as it is opened from a snapshot of it: slots of objects that have many are left in its bytes.
package func reopened(_ document: Document) throws -> Document {
  try SnapshotCoding.open(SnapshotCoding.encode(document.snapshot()))
}
