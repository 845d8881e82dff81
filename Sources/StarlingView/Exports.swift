// A program of views needs one import, as it does where SwiftUI is.
@_exported public import Foundation
@_exported public import StarlingBinding
@_exported public import StarlingModel
