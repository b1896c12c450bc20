/// Groups single files into apps.
///
/// Entitlements, profiles and executables belong to the Info.plist in their folder. If there are several, they belong
/// to the one with the same stem (`Shop-Info.plist`, `Shop.entitlements`). If there is none, they belong to the only
/// one with that stem elsewhere; `Shop/Info.plist` has the stem of its folder. An Info.plist with several entitlements,
/// as for debug and release, forms an app with each of them.
struct FilePairing {
    /// The apps in the order of their files.
    private(set) var apps: [PlannedApp] = []
    /// The files that do not belong to an app.
    private(set) var unpaired: [TreePath] = []

    /// Groups files.
    ///
    /// - Parameters:
    ///   - infoPlists: every Info.plist.
    ///   - entitlements: every `.entitlements` file.
    ///   - profiles: every provisioning profile.
    ///   - executables: every executable.
    ///   - areNamed: true when a person named the files together. All other files then belong to a single Info.plist,
    ///     regardless of their folders.
    init(
        infoPlists: [TreePath],
        entitlements: [TreePath],
        profiles: [TreePath] = [],
        executables: [TreePath] = [],
        areNamed: Bool
    ) {
        let owners = Owners(infoPlists.sorted(), takesAll: areNamed || entitlements.count == 1)
        var taken: [Int: [TreePath]] = [:]
        for file in entitlements.sorted() {
            if let owner = owners.owner(of: file) {
                taken[owner, default: []].append(file)
            } else {
                apps.append(PlannedApp(entitlements: file))
            }
        }
        for (number, infoPlist) in owners.files.enumerated() {
            let own = taken[number] ?? []
            if own.isEmpty { apps.append(PlannedApp(infoPlist: infoPlist)) }
            for file in own {
                var app = PlannedApp(infoPlist: infoPlist, entitlements: file)
                if own.count > 1 { app.name = "\(infoPlist) with \(file)" }
                apps.append(app)
            }
        }
        sort()
        attach(profiles.sorted(), to: \.profile, areNamed: areNamed)
        attach(executables.sorted(), to: \.executable, areNamed: areNamed)
    }

    /// Assigns each profile or executable to an app.
    private mutating func attach(
        _ files: [TreePath],
        to part: WritableKeyPath<PlannedApp, TreePath?>,
        areNamed: Bool
    ) {
        guard !files.isEmpty else { return }
        guard !apps.isEmpty else {
            guard areNamed else {
                unpaired += files
                return
            }
            apps = files.map { file in
                var app = PlannedApp()
                app[keyPath: part] = file
                return app
            }
            return
        }
        // Apps with the same Info.plist and different entitlements share its profile.
        let owners = Owners(Self.distinct(apps.compactMap(\.files.first)), takesAll: areNamed)
        var given: [TreePath: [TreePath]] = [:]
        for file in files {
            if let owner = owners.owner(of: file) {
                given[owners.files[owner], default: []].append(file)
            } else {
                unpaired.append(file)
            }
        }
        var paired: [PlannedApp] = []
        for app in apps {
            let candidates = app.files.first.flatMap { given[$0] } ?? []
            let sameStem = candidates.filter { candidate in
                FileName(candidate.name).stem == app.entitlements.map { FileName($0.name).stem }
            }
            for file in candidates.count > 1 && sameStem.count == 1 ? sameStem : candidates {
                var app = app
                app[keyPath: part] = file
                if candidates.count > 1 {
                    let name = app.name.isEmpty ? app.files.first.map(\.text) ?? "" : app.name
                    app.name = "\(name), \(file)"
                }
                paired.append(app)
            }
            if candidates.isEmpty { paired.append(app) }
        }
        apps = paired
    }

    private mutating func sort() {
        apps.sort { left, right in
            left.files.lexicographicallyPrecedes(right.files)
        }
    }

    private static func distinct(_ sorted: [TreePath]) -> [TreePath] {
        sorted.reduce(into: []) { result, path in
            if result.last != path { result.append(path) }
        }
    }
}

/// The files that others are grouped with, indexed by folder and stem to avoid comparing all pairs.
private struct Owners {
    let files: [TreePath]
    private let takesAll: Bool
    private var byFolder: [TreePath: [Int]] = [:]
    private var byStem: [String: [Int]] = [:]

    init(_ files: [TreePath], takesAll: Bool) {
        self.files = files
        self.takesAll = takesAll
        for (number, file) in files.enumerated() {
            byFolder[file.folder, default: []].append(number)
            byStem[Self.stem(file), default: []].append(number)
        }
    }

    func owner(of file: TreePath) -> Int? {
        let stem = FileName(file.name).stem
        let neighbours = byFolder[file.folder] ?? []
        if neighbours.count == 1 { return neighbours[0] }
        if neighbours.count > 1 {
            let own = neighbours.filter { FileName(files[$0].name).stem == stem }
            if own.count == 1 { return own[0] }
        }
        if !stem.isEmpty, let own = byStem[stem], own.count == 1 { return own[0] }
        return takesAll && files.count == 1 ? 0 : nil
    }

    private static func stem(_ file: TreePath) -> String {
        let own = FileName(file.name).stem
        return own.isEmpty ? file.folder.name.lowercased() : own
    }
}
