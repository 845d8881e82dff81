import StarlingCore

extension LiveEncoder {
  /// The state of the stream as bytes, for a reader that joins here: `LiveDecoder(tables:)` decodes
  /// what is encoded from now on (Protocol/wire-format.md, "Tables").
  ///
  /// - Complexity: O(entries in the tables), at most some megabytes.
  public func tables() -> [UInt8] {
    precondition(state.stream == 0, "Nobody joins a batch.")
    var bytes: [UInt8] = [liveVersion]
    bytes.append(fixed64: state.stamp.rawValue)
    bytes.append(varint: state.writer.map { $0 + 1 } ?? 0)
    bytes.append(varint: state.slot + 1)
    appendCursor(to: &bytes)

    bytes.append(varint: state.replicas.count)
    for replica in state.replicas {
      bytes.append(fixed64: replica.id.rawValue)
      bytes.append(varint: replica.counter)
    }
    bytes.append(varint: state.names.count)
    for name in state.names { bytes.append(counted: name.text) }

    bytes.append(varint: state.objects.count - 1)
    for object in state.objects.dropFirst() { append(object, to: &bytes) }

    bytes.append(varint: state.slots.count)
    for slot in state.slots {
      bytes.append(varint: slot.object)
      append(slot.key, slot.name, to: &bytes)
      if slot.last == SlotEntry.nothing {
        bytes.append(varint: 0)
      } else {
        bytes.append(varint: slot.last.replica + 1)
        bytes.append(varint: slot.last.counter)
      }
    }
    return bytes
  }

  private func append(_ object: ObjectEntry, to bytes: inout [UInt8]) {
    if object.isDefined {
      bytes.append(TableObjectForm.firstKind + object.kind.rawValue)
      bytes.append(varint: object.parent)
      append(object.key, object.name, to: &bytes)
    } else if let dot = object.id.dot {
      bytes.append(TableObjectForm.assigned)
      append(dot, to: &bytes)
    } else {
      bytes.append(TableObjectForm.bare)
      bytes.append(fixed64: object.id.high)
      bytes.append(fixed64: object.id.low)
    }
  }

  private func append(_ key: Key?, _ name: Int?, to bytes: inout [UInt8]) {
    if let name {
      bytes.append(varint: TableKeyForm.firstNumber + UInt64(name))
      return
    }
    switch key {
    case .name, nil: preconditionFailure("A name is in the tables without its number.")
    case .integer(let integer):
      bytes.append(varint: TableKeyForm.integer)
      bytes.append(signedVarint: integer)
    case .bytes(let content):
      bytes.append(varint: TableKeyForm.bytes)
      bytes.append(counted: content)
    case .element(let dot):
      bytes.append(varint: TableKeyForm.element)
      append(dot, to: &bytes)
    }
  }

  private func append(_ dot: Dot, to bytes: inout [UInt8]) {
    bytes.append(varint: state.replicaPlaces[dot.replica]!)
    bytes.append(varint: dot.counter)
  }

  private func appendCursor(to bytes: inout [UInt8]) {
    let cursor = state.cursor
    bytes.append(varint: cursor.object + 1)
    guard cursor.object >= 0 else { return }
    bytes.append(varint: cursor.replica + 1)
    guard cursor.replica >= 0 else { return }
    bytes.append(varint: cursor.before)
    bytes.append(varint: cursor.after)
  }
}
