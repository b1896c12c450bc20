// What the package needs of Foundation is in FoundationEssentials, which every platform but Apple's has apart.
// Exported, so that no other file repeats the condition; whoever imports this module gets it too.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
