import StarlingCore
import StarlingEngine
import StarlingSession
import StarlingSimulator
import Testing

/// The shortest steps of schedules that once violated something.
@Suite struct `A schedule that failed once` {
  /// Seed 50548. A writer forgot a mark of null before its daemon had heard of another writer's mark below it: for a
  /// while the two hold different marks at one version, as Protocol/merge.md allows ("Tombstone collection"), and then
  /// the same.
  @Test func `a mark of null is forgotten before a mark below it arrives, and comes back`() {
    var schedule = Schedule(calm: 50548)
    schedule.replicas = 5
    schedule.topology = .daemons
    schedule.theme = .texts
    schedule.faults.delay = .microseconds(1000) ... .microseconds(400_000)
    schedule.steps = [
      Step(237638, .crash(0, lasting: 1_234_415)),
      Step(318341, .write(2, document: 0, edits: [.type(holder: 4, at: 31, text: 3)])),
      Step(324091, .write(2, document: 0, edits: [.type(holder: 0, at: 3, text: 3)])),
      Step(573547, .write(2, document: 0, edits: [.mark(holder: 3, at: 3, count: 5, name: 6, value: 1)])),
      Step(814833, .write(4, document: 0, edits: [.type(holder: 3, at: 26, text: 0)])),
      Step(
        948806,
        .write(
          4, document: 0,
          edits: [
            .type(holder: 0, at: 22, text: 1), .erase(holder: 0, at: 13, count: 4),
            .mark(holder: 0, at: 2, count: 1, name: 0, value: 1), .unmark(holder: 3, at: 26, count: 8, name: 0),
          ])),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
    #expect(simulation.doings["forgottenMarks", default: 0] > 0)
  }

  /// Seed 1909. More waits for a log that fails than may, and a state is stored in its place: the writer's own changes
  /// stay, for its daemon takes no states from a writer.
  @Test func `what a writer wrote while its log failed reaches everybody`() {
    var schedule = Schedule(calm: 1909)
    schedule.replicas = 4
    schedule.topology = .star
    schedule.documents = [DocumentID("shared")!, DocumentID("other")!]
    schedule.hasKeys = true
    schedule.hostileRole = .relays
    schedule.hostileForges = true
    schedule.postponesPresence = true
    schedule.theme = .objects
    schedule.faults.loss = 0.2
    schedule.faults.delay = .microseconds(1000) ... .microseconds(50000)
    schedule.faults.diskDelay = .microseconds(0) ... .microseconds(2000)
    schedule.steps = [
      Step(63342, .crash(2, lasting: 375405)),
      Step(200921, .lie(seed: 18245471656448616015)),
      Step(236435, .lie(seed: 11365153675351239861)),
      Step(342784, .lie(seed: 4339490688322196840)),
      Step(413984, .lie(seed: 16205405848473433498)),
      Step(414385, .write(1, document: 0, edits: [.assignAt(holder: 0, key: 3), .assignAt(holder: 3, key: 0)])),
      Step(434023, .write(3, document: 0, edits: [.assignAt(holder: 3, key: 2)])),
      Step(494855, .write(1, document: 0, edits: [.moveObject(2, holder: 0, key: 0)])),
      Step(623083, .lie(seed: 4498115328986191115)),
      Step(627517, .write(3, document: 1, edits: [.assignAt(holder: 4, key: 3)])),
      Step(758334, .loseLogAnswers(3, lasting: 447106)),
      Step(773495, .write(3, document: 0, edits: [.insertObject(holder: 0, at: 0)])),
      Step(1419174, .write(3, document: 0, edits: [.moveObjectIntoList(6, holder: 3, at: 6)])),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
  }

  /// Seed 52848. A log that keeps the state alone stores a state with a change in it, and loses power right after: the
  /// change's own record is stored with the state, for its daemon takes no states from a writer.
  @Test func `a change that is in a state when that is stored reaches everybody from its record`() {
    var schedule = Schedule(calm: 52848)
    schedule.replicas = 4
    schedule.topology = .daemons
    schedule.history = .stateOnly(byteCountMin: 300)
    schedule.hasKeys = true
    schedule.hostileRole = .writes
    schedule.theme = .objects
    schedule.faults.diskDelay = .microseconds(0) ... .microseconds(2000)
    schedule.steps = [
      Step(108112, .write(3, document: 0, edits: [.witness(0)])),
      Step(129052, .write(2, document: 0, edits: [.witness(1)])),
      Step(229383, .write(3, document: 0, edits: [.assignAt(holder: 4, key: 3)])),
      Step(259244, .write(2, document: 0, edits: [.removeObject(2)])),
      Step(280306, .write(3, document: 0, edits: [.assign(holder: 1)])),
      Step(300139, .restore(3, document: 0, pick: 7)),
      Step(
        326189,
        .write(
          2, document: 0,
          edits: [.assign(holder: 0), .setAside(4, holder: Optional(4)), .moveObject(1, holder: 0, key: 1)])),
      Step(404789, .write(3, document: 0, edits: [.moveObject(6, holder: 2, key: 1)])),
      Step(412724, .crash(1, lasting: 1_074_103)),
      Step(434789, .replaceKey(3)),
      Step(556051, .write(3, document: 0, edits: [.assignAt(holder: 4, key: 1)])),
      Step(558442, .losePower(3, lying: 1_767_867, lasting: 801289)),
      Step(1_268_165, .crash(3, lasting: 1_880_208)),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
  }

  /// Seed 3986. A store writes under an id for the first time while its log refuses, and ends right after that works
  /// again: that the id is its own is stored before the first record of it, so that its daemon gets the change from it
  /// afterwards.
  @Test func `an id that was first written under while the log refused is known to be one's own`() {
    var schedule = Schedule(calm: 3986)
    schedule.replicas = 4
    schedule.topology = .daemons
    schedule.documents = [DocumentID("shared")!, DocumentID("other")!]
    schedule.hasKeys = true
    schedule.steps = [
      Step(583599, .reduceRole(2, mayRead: true, lasting: 1_126_181)),
      Step(974359, .fillDisk(2, lasting: Optional(378065))),
      Step(1_004_839, .write(2, document: 1, edits: [.incrementRegister(holder: 4, key: 3)])),
      Step(1_016_312, .write(2, document: 0, edits: [.increment(holder: 3, by: 3)])),
      Step(1_798_461, .crash(2, lasting: 947815)),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
  }

  /// Seed 10320. The same where the log does what it is asked to and does not answer.
  @Test func `a change that is in a state when that is stored reaches everybody, though the log does not answer`() {
    var schedule = Schedule(calm: 10320)
    schedule.replicas = 4
    schedule.topology = .daemons
    schedule.history = .stateOnly(byteCountMin: 300)
    schedule.hasKeys = true
    schedule.hostileRole = .reads
    schedule.theme = .texts
    schedule.faults.delay = .microseconds(1000) ... .microseconds(400000)
    schedule.steps = [
      Step(75196, .write(3, document: 0, edits: [.type(holder: 1, at: 4, text: 5)])),
      Step(
        124805, .write(3, document: 0, edits: [.type(holder: 4, at: 18, text: 4), .erase(holder: 1, at: 20, count: 3)])),
      Step(405569, .write(3, document: 0, edits: [.mark(holder: 4, at: 18, count: 4, name: 6, value: 1)])),
      Step(512483, .write(3, document: 0, edits: [.type(holder: 1, at: 19, text: 3)])),
      Step(583958, .write(3, document: 0, edits: [.type(holder: 1, at: 7, text: 2)])),
      Step(648693, .write(3, document: 0, edits: [.type(holder: 0, at: 12, text: 5)])),
      Step(757013, .write(3, document: 0, edits: [.type(holder: 0, at: 0, text: 4)])),
      Step(763469, .crash(3, lasting: 603812)),
      Step(1374492, .loseLogAnswers(3, lasting: 1402261)),
      Step(1481409, .write(3, document: 0, edits: [.type(holder: 0, at: 9, text: 4)])),
      Step(1821230, .crash(3, lasting: 292580)),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
  }

  /// Seed 13472. A clock is put back, and a relay that forges has a replica id refused: what was written under it is
  /// written again, with an earlier stamp. Its writer and its receivers hold the same.
  @Test func `what is written again after the clock was put back is the same everywhere`() {
    var schedule = Schedule(calm: 13472)
    schedule.replicas = 4
    schedule.topology = .daemons
    schedule.documents = [DocumentID("shared")!, DocumentID("other")!]
    schedule.hasKeys = true
    schedule.hostileRole = .relays
    schedule.hostileForges = true
    schedule.oddDialect = .later
    schedule.theme = .registers
    schedule.faults.corruption = 0.02
    schedule.faults.delay = .microseconds(1000) ... .microseconds(50000)
    schedule.faults.diskDelay = .microseconds(0) ... .microseconds(30000)
    schedule.steps = [
      Step(38489, .interrupt(3, pick: 6239629048684263388)),
      Step(103741, .lie(seed: 2424450143878214332)),
      Step(135280, .write(3, document: 0, edits: [.witness(0)])),
      Step(156839, .lie(seed: 8809490055770268591)),
      Step(441062, .jumpClock(3, by: -33464253)),
      Step(454781, .write(3, document: 1, edits: [.set(holder: 2, key: 1, value: 26)])),
      Step(474742, .write(2, document: 1, edits: [.set(holder: 0, key: 3, value: 30)])),
      Step(523758, .interrupt(1, pick: 13332323541310608429)),
      Step(744486, .lie(seed: 7135262371141359031)),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
  }

  /// Seed 11104. A value in a conflict is written again under another id: its readers are told that the conflict ended,
  /// though the value is what it was.
  @Test func `a conflict that ends when a change is written again is told`() {
    var schedule = Schedule(calm: 11104)
    schedule.replicas = 5
    schedule.topology = .daemons
    schedule.documents = [DocumentID("shared")!, DocumentID("other")!]
    schedule.hasKeys = true
    schedule.hostileRole = .relays
    schedule.hostileForges = true
    schedule.theme = .transactions
    schedule.faults.corruption = 0.02
    schedule.faults.delay = .microseconds(1000) ... .microseconds(400000)
    schedule.faults.diskDelay = .microseconds(0) ... .microseconds(2000)
    schedule.steps = [
      Step(113271, .write(4, document: 0, edits: [.witness(0)])),
      Step(234320, .lie(seed: 6393019792344436954)),
      Step(333320, .exchangeBackup(4, lasting: 80393)),
      Step(777902, .exchangeBackup(2, lasting: 379239)),
      Step(862274, .lie(seed: 16651411421093991831)),
      Step(1088938, .exchangeBackup(4, lasting: 375686)),
      Step(1278937, .write(3, document: 0, edits: [.set(holder: 0, key: 0, value: 26)])),
      Step(1657544, .lie(seed: 4439276356251922733)),
      Step(1754006, .write(4, document: 0, edits: [.set(holder: 0, key: 0, value: 25)])),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
  }

  /// Seed 304461. A fork moves what was removed since, and what its own document still has. Its daemon has forgotten
  /// it.
  @Test func `a fork that moves what others have forgotten reaches everybody`() {
    var schedule = Schedule(calm: 304461)
    schedule.replicas = 4
    schedule.topology = .star
    schedule.hasKeys = true
    schedule.hostileRole = .reads
    schedule.oddDialect = .later
    schedule.theme = .history
    schedule.steps = [
      Step(182361, .write(2, document: 0, edits: [.assign(holder: 1)])),
      Step(249491, .write(2, document: 0, edits: [.insertObject(holder: 2, at: 13)])),
      Step(
        355866,
        .fork(
          1, document: 0, edits: [.moveObjectIntoList(5, holder: 0, at: 2), .witness(1)], asState: false,
          lasting: 907168)),
      Step(780050, .restore(2, document: 0, pick: 1)),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
  }

  /// Seed 600256. A daemon holds a change that stands on one that it refuses. Its writer writes both again.
  @Test func `a change that its writer gave up does not wait for ever`() {
    var schedule = Schedule(calm: 600256)
    schedule.replicas = 2
    schedule.topology = .star
    schedule.hasKeys = true
    schedule.theme = .lists
    schedule.steps = [
      Step(962141, .write(1, document: 0, edits: [.insert(holder: 3, at: 10, count: 2)])),
      Step(1009650, .renameKey(1)),
      Step(1310655, .write(1, document: 0, edits: [.insert(holder: 0, at: 9, count: 2)])),
      Step(1422052, .write(1, document: 0, edits: [.insert(holder: 0, at: 6, count: 3)])),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
  }

  /// Seed 636961. A daemon whose disk does not answer passes on what it merges in memory, and is killed. The program
  /// that heard of it cannot bring back what it did not write (Documentation/Limits.md, "Between peers").
  @Test func `what a killed relay alone had passed on is stranded where it was heard, and all else is everywhere`() {
    var schedule = Schedule(calm: 636961)
    schedule.topology = .daemons
    schedule.documents = [DocumentID("shared")!, DocumentID("other")!]
    schedule.hasKeys = true
    schedule.theme = .objects
    schedule.faults.loss = 0.05
    schedule.steps = [
      Step(145006, .write(2, document: 0, edits: [.set(holder: 6, key: 0, value: 19)])),
      Step(258186, .loseLogAnswers(0, lasting: 840380)),
      Step(264356, .crash(1, lasting: 1_906_025)),
      Step(326877, .write(2, document: 1, edits: [.set(holder: 10, key: 1, value: 10)])),
      Step(376178, .crash(2, lasting: 151572)),
      Step(1_125_422, .crash(0, lasting: 354305)),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
    #expect(simulation.doings["strandedChanges"] == 1)
  }

  /// Seed 91103681. A disk that lied loses a removal that it had acknowledged; the group has collected what was removed,
  /// and the writer goes on there.
  @Test func `a store that forgot a removal goes on with a new directory once it is told`() {
    var schedule = Schedule(calm: 91_103_681)
    schedule.topology = .star
    schedule.hasKeys = true
    schedule.theme = .objects
    schedule.steps = [
      Step(835646, .write(1, document: 0, edits: [.assign(holder: 1)])),
      Step(972164, .losePower(2, lying: 174632, lasting: 436437)),
      Step(973397, .write(1, document: 0, edits: [.removeObject(7)])),
      Step(1_307_449, .partition(from: [2], isOneWay: false, lasting: 1_904_075)),
      Step(1_597_747, .write(2, document: 0, edits: [.setAside(7, holder: Optional(0))])),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
    #expect(simulation.doings["newStore"] == 1)
  }

  /// Seed 93008474. A daemon that stood still told a program of its lease on a connection that had ended by then, and
  /// leased the id to another, though the program had heard of the lease before and wrote under it.
  @Test func `a lease that was said again to nobody stays with its holder`() {
    var schedule = Schedule(calm: 93008474)
    schedule.replicas = 4
    schedule.topology = .star
    schedule.documents = [DocumentID("shared")!, DocumentID("other")!]
    schedule.guests = 3
    schedule.theme = .observers
    schedule.faults.duplication = 0.2
    schedule.faults.corruption = 0.02
    schedule.faults.diskDelay = .microseconds(0) ... .microseconds(2000)
    schedule.steps = [
      Step(25406, .write(2, document: 0, edits: [.assignAt(holder: 2, key: 3)])),
      Step(68789, .write(1, document: 0, edits: [.type(holder: 2, at: 2, text: 2)])),
      Step(602950, .goOffline(0, lasting: 320825)),
      Step(854459, .restart(2, lasting: 1060714)),
      Step(1015334, .write(3, document: 1, edits: [.set(holder: 0, key: 2, value: 26)])),
      Step(1021324, .freeze(0, lasting: 1172484)),
      Step(1088865, .interrupt(3, pick: 7484050359400097782)),
      Step(1701346, .write(3, document: 0, edits: [.removeObject(0)])),
      Step(1710961, .restart(1, lasting: 296671)),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
  }

  /// Seed 94015279. A daemon's store was put back as it had been closed, and leased an id that it found free. Only then
  /// did a peer tell it so: a program had written under that id since the copy.
  @Test func `an id that was leased since a copy was made is leased to nobody else`() {
    var schedule = Schedule(calm: 94015279)
    schedule.replicas = 5
    schedule.topology = .star
    schedule.guests = 3
    schedule.theme = .lists
    schedule.steps = [
      Step(99024, .stayAway(2)),
      Step(317088, .putBackClosedStore(0, lasting: 960329)),
      Step(960209, .crash(3, lasting: 471125)),
      Step(998704, .write(1, document: 0, edits: [.witness(0)])),
      Step(1773524, .write(3, document: 0, edits: [.insertObject(holder: 0, at: 1)])),
      Step(1864223, .putBackClosedStore(0, lasting: 1943868)),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
  }

  /// Seed 95063525. An element went and came back within one patch, and was replaced then: for its readers it is new.
  @Test func `an element that is set aside and brought back shows what it shows then`() {
    var schedule = Schedule(calm: 95063525)
    schedule.topology = .daemons
    schedule.hasKeys = true
    schedule.hostileRole = .writes
    schedule.theme = .history
    schedule.faults.diskDelay = .microseconds(0) ... .microseconds(30000)
    schedule.steps = [
      Step(629274, .write(2, document: 0, edits: [.insertObject(holder: 2, at: 2)])),
      Step(1438906, .replaceKey(2)),
      Step(1615535, .write(2, document: 0, edits: [.incrementElement(holder: 2, at: 3)])),
      Step(1635621, .partition(from: [0, 1], isOneWay: false, lasting: 1952231)),
      Step(1756126, .restore(2, document: 0, pick: 2)),
      Step(1893099, .restore(2, document: 0, pick: 6)),
      Step(1913559, .write(2, document: 0, edits: [.setAside(5, holder: Optional(3))])),
      Step(1932281, .undo(2, document: 0)),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
  }

  /// Seed 902214. A text lay in the store of a replica that was opened again, and another replica, which had never heard
  /// of it, had typed in it: what the other had typed came as one history, and was all that was left.
  @Test func `a text that lies in a store stays where another began it by itself`() {
    var schedule = Schedule(calm: 902214)
    schedule.replicas = 2
    schedule.theme = .texts
    schedule.faults.loss = 0.01
    schedule.faults.delay = .microseconds(1000) ... .microseconds(400_000)
    schedule.steps = [
      Step(52912, .write(0, document: 0, edits: [.type(holder: 0, at: 16, text: 0)])),
      Step(129502, .write(0, document: 0, edits: [.type(holder: 0, at: 7, text: 1)])),
      Step(207498, .write(1, document: 0, edits: [.type(holder: 0, at: 8, text: 5)])),
      Step(340847, .write(1, document: 0, edits: [.type(holder: 0, at: 2, text: 0)])),
      Step(374470, .write(1, document: 0, edits: [.erase(holder: 0, at: 28, count: 3)])),
      Step(551439, .write(1, document: 0, edits: [.type(holder: 0, at: 28, text: 0)])),
      Step(614760, .write(0, document: 0, edits: [.type(holder: 1, at: 29, text: 5)])),
      Step(
        639360,
        .write(
          0, document: 0,
          edits: [
            .type(holder: 0, at: 6, text: 5), .type(holder: 4, at: 7, text: 4), .type(holder: 1, at: 8, text: 5),
            .erase(holder: 4, at: 1, count: 3),
          ])),
      Step(732678, .write(0, document: 0, edits: [.type(holder: 0, at: 9, text: 4), .witness(1)])),
      Step(777414, .putBackClosedStore(0, lasting: 1_599_384)),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
  }
}
