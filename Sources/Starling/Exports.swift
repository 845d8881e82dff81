// `import Starling` is enough for models: they and what their declarations name come with it, and no name of SwiftUI's.
@_exported public import Observation
@_exported public import StarlingModel
@_exported public import StarlingReplica
@_exported public import func StarlingGraph.observe
@_exported public import class StarlingGraph.ObservationToken
@_exported public import struct StarlingGraph.ObservedValues
