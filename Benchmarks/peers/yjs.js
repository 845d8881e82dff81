// Does the benchmarks' work with Yjs in its own language, as most people run it.
//
// usage: node yjs.js [--quick] CASE...
// prints one line a case: {"case": "document-set", "peer": "yjs", "value": 7200}
//
// Cases, units and the text trace are those of peers.py. Every figure is the median of five samples, or of as many as
// fit into ten seconds. Times are what the process computed, its collector of garbage included.
'use strict'
const fs = require('fs')

let Y
try {
  Y = require('yjs')
} catch {
  console.error('not installed, left out: yjs')
  process.exit(0)
}

const isQuick = process.argv.includes('--quick')
const SAMPLES = isQuick ? 1 : 5
const ALL = 100000
const CLIENTS = 1540

/** The sets that every system does: xorshift32 from 42. */
function workload (count, keys = 1000) {
  const sets = []
  let x = 42
  for (let i = 0; i < count; i++) {
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    const drawn = x >>> 0
    const number = (drawn >>> 12) % 1000
    sets.push(['k' + (drawn % keys), (drawn >>> 9) & 1 ? number : 'v' + number])
  }
  return sets
}

/** Milliseconds that the process computed in `work`. */
function timed (work) {
  const begin = process.cpuUsage()
  work()
  const used = process.cpuUsage(begin)
  return (used.user + used.system) / 1000
}

/** Of fewer samples where they take long. */
function median (sample) {
  const values = []
  const begin = Date.now()
  while (values.length < SAMPLES && (values.length === 0 || Date.now() - begin < 10000)) values.push(sample())
  values.sort((a, b) => a - b)
  return values[values.length >> 1]
}

function check (holds, what) {
  if (!holds) throw new Error(what)
}

function captured (doc) {
  const updates = []
  doc.on('update', update => updates.push(update))
  return updates
}

function opened (data) {
  const doc = new Y.Doc()
  Y.applyUpdate(doc, data)
  return doc
}

function setEach (doc, sets) {
  const map = doc.getMap('m')
  for (const [key, value] of sets) map.set(key, value)
}

function once (make) {
  let made
  return () => (made ??= make())
}

const sets = once(() => workload(ALL))
const setUpdates = once(() => {
  const doc = new Y.Doc()
  const updates = captured(doc)
  setEach(doc, sets())
  return { doc, updates }
})

function documentSet () {
  return median(() => {
    const doc = new Y.Doc()
    captured(doc)
    return timed(() => setEach(doc, sets()))
  }) * 1e6 / ALL
}

function documentMessage () {
  const { updates } = setUpdates()
  return median(() => {
    const doc = new Y.Doc()
    let seen = 0
    doc.getMap('m').observe(() => seen++)
    const time = timed(() => { for (const update of updates) Y.applyUpdate(doc, update) })
    check(seen >= ALL * 0.99, 'observers ran ' + seen + ' times')
    return time
  }) * 1e6 / updates.length
}

function batch (isOneTransaction) {
  const doc = new Y.Doc()
  if (isOneTransaction) doc.transact(() => setEach(doc, sets()))
  else setEach(doc, sets())
  const update = Y.encodeStateAsUpdate(doc)
  return median(() => {
    const other = new Y.Doc()
    other.getMap('m')
    return timed(() => Y.applyUpdate(other, update))
  })
}

function conflict () {
  const updates = []
  for (let client = 0; client < CLIENTS; client++) {
    const doc = new Y.Doc()
    doc.clientID = client + 1
    doc.getMap('m').set('v', client)
    updates.push(Y.encodeStateAsUpdate(doc))
  }
  const apply = (doc, all) => { for (const update of all) Y.applyUpdate(doc, update) }
  return {
    'document-conflict-1540': median(() => {
      const doc = new Y.Doc()
      return timed(() => doc.transact(() => apply(doc, updates)))
    }),
    'document-conflict-1540-stream': median(() => {
      const doc = new Y.Doc()
      return timed(() => apply(doc, updates))
    })
  }
}

/** A document of a hundred thousand keys, written in one transaction. */
function filled (value) {
  const doc = new Y.Doc()
  doc.transact(() => {
    const map = doc.getMap('m')
    for (let i = 0; i < ALL; i++) map.set('key' + i, value(i))
  })
  return doc
}

const keysFile = once(() => Y.encodeStateAsUpdate(filled(i => i & 1 ? i : 'value' + i)))

/** What the first access to a hundred thousand keys takes, in milliseconds of the clock: the access is too short for others. */
function first (access) {
  return median(() => {
    const map = opened(keysFile()).getMap('m')
    const begin = process.hrtime.bigint()
    access(map)
    return Number(process.hrtime.bigint() - begin) / 1e6
  })
}

function keysWritten () {
  return { 'keys-100k-write': 1e6 * median(() => timed(() => filled(i => 'value' + i))) / ALL }
}

function keys () {
  const open = median(() => timed(() => opened(keysFile())))
  const get = 1000 * first(map => check(map.get('key777') === 777, 'key777'))
  return {
    'document-keys-100k-file': keysFile().length,
    'document-keys-100k-open': open,
    'document-keys-100k-first-get': get,
    'keys-100k-open': open,
    'keys-100k-first-get': get,
    'keys-100k-first-set': 1000 * first(map => map.set('key555', 'round')),
    'keys-100k-walk': first(map => {
      let length = 0
      for (const [key, value] of map.entries()) length += key.length + String(value).length
      check(length > ALL * 8, 'walk')
    })
  }
}

/** The edits of a file as data/trace.py writes it, and the text that they end in. Positions are Unicode scalars there. */
function trace () {
  const data = fs.readFileSync(process.env.STARLING_TEXT_TRACE)
  const count = data.readUInt32LE(5)
  const endBytes = data.readUInt32LE(9)
  const end = data.toString('utf8', 13, 13 + endBytes)
  const edits = []
  let place = 13 + endBytes
  for (let i = 0; i < count; i++) {
    const insertedBytes = data.readUInt32LE(place + 8)
    const inserted = data.toString('utf8', place + 12, place + 12 + insertedBytes)
    // Yjs counts UTF-16 units, which are the same but for characters beyond the first plane.
    if (/[\ud800-\udfff]/.test(inserted)) return null
    edits.push([data.readUInt32LE(place), data.readUInt32LE(place + 4), inserted])
    place += 12 + insertedBytes
  }
  return { edits, end }
}

function editEach (text, edits) {
  for (const [position, deleted, inserted] of edits) {
    if (deleted) text.delete(position, deleted)
    if (inserted) text.insert(position, inserted)
  }
}

function text () {
  const script = trace()
  if (!script) {
    console.error('left out: yjs, of a text with characters beyond the first plane')
    return {}
  }
  const { edits, end } = script
  let doc, updates
  const local = median(() => {
    doc = new Y.Doc()
    updates = captured(doc)
    const time = timed(() => editEach(doc.getText('t'), edits))
    check(doc.getText('t').toString() === end, 'the text differs')
    return time
  })
  const messages = median(() => {
    const other = new Y.Doc()
    other.getText('t').observe(() => {})
    return timed(() => { for (const update of updates) Y.applyUpdate(other, update) })
  })
  const file = Y.encodeStateAsUpdate(doc)
  const read = data => opened(data).getText('t').toString()
  return {
    'document-text-local': local,
    'text-local': local,
    'document-text-messages': messages,
    'document-text-load': median(() => timed(() => check(read(file) === end, 'the loaded text differs'))),
    'document-text-file': file.length,
    'document-text-batch': median(() => timed(() => opened(file))),
    'text-load-edit': median(() => timed(() => opened(file).getText('t').insert(end.length >> 1, 'x')))
  }
}

function arrayAppend () {
  const doc = new Y.Doc()
  const list = doc.getArray('l')
  const size = isQuick ? 5000 : ALL
  list.insert(0, Array.from({ length: size }, (_, i) => i))
  captured(doc)
  return median(() => timed(() => { for (let i = 0; i < 100; i++) list.push([i]) })) * 1000 / 100
}

const one = (name, work) => [[name], () => ({ [name]: work() })]
const CASES = [
  one('document-set', documentSet),
  one('document-message', documentMessage),
  one('document-change-bytes', () => {
    const { updates } = setUpdates()
    return updates.reduce((sum, update) => sum + update.length, 0) / updates.length
  }),
  one('document-batch-100k', () => batch(true)),
  one('document-batch-100k-changes', () => batch(false)),
  [['document-conflict-1540', 'document-conflict-1540-stream'], conflict],
  one('document-state-bytes-100k', () => Y.encodeStateAsUpdate(setUpdates().doc).length),
  [
    ['document-keys-100k-file', 'document-keys-100k-open', 'document-keys-100k-first-get', 'keys-100k-open',
      'keys-100k-first-get', 'keys-100k-first-set', 'keys-100k-walk'], keys
  ],
  [['keys-100k-write'], keysWritten],
  one('array-append', arrayAppend)
]
if (process.env.STARLING_TEXT_TRACE) {
  CASES.push([
    ['document-text-local', 'document-text-messages', 'document-text-load', 'document-text-file', 'document-text-batch',
      'text-local', 'text-load-edit'], text
  ])
}

const asked = process.argv.slice(2).filter(argument => argument !== '--quick')
for (const [names, work] of CASES) {
  const wanted = names.filter(name => asked.length === 0 || asked.includes(name))
  if (wanted.length === 0) continue
  const found = work()
  for (const name of wanted) {
    if (name in found) console.log(JSON.stringify({ case: name, peer: 'yjs', value: found[name] }))
  }
}
