// What the package needs of Foundation is in FoundationEssentials, which every platform but Apple's has apart.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
