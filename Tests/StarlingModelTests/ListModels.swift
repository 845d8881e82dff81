import StarlingModel

@Replicated final class Album: Sendable {
  var songs: ReplicatedArray<String> = []
  var tracks: ReplicatedArray<Chapter> = []
  var sizes: ReplicatedArray<Stop> = []
  var standard: ReplicatedArray<Int> = [1, 2]
}

@Replicated final class Box: Sendable {
  var album: Album?
  var note: Note?
}

extension Album {
  func add(_ titles: String...) {
    for title in titles {
      let track = Chapter()
      track.title = title
      tracks.append(track)
    }
  }
}
