import type { DecodeContext } from '../canonical/codec.ts'
import type { ToolKind } from '../canonical/request.ts'
import { stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { callInput } from './decode-items.ts'
import { type Blocks, endReasoning, type ItemReader, type Told } from './item-reader.ts'
import { createProgress, newInPiece, newInWhole } from './progress.ts'
import { flatName } from './tools.ts'

/**
 * Reads a call of a function or of a custom tool. Its input may come before the item that names the
 * tool, and waits for it then; a call that nobody names is left out.
 */
export function createCallReader(
  kind: ToolKind,
  blocks: Blocks,
  { requestId, request }: DecodeContext,
): ItemReader {
  const progress = createProgress()
  let id: string | undefined
  let announced: JsonObject | undefined
  let waiting = ''
  let isEnded = false

  function open(item: JsonObject): void {
    const bare = stringIn(item, 'name')
    if (id !== undefined || bare === undefined) return
    id = blocks.nextId()
    const given = stringIn(item, 'call_id') ?? stringIn(item, 'id')
    const isOwn = given !== undefined && !blocks.callIds.has(given)
    const callId = isOwn ? given : `call_${requestId}_${id}`
    blocks.callIds.add(callId)
    const name = flatName(request.tools, bare, stringIn(item, 'namespace'))
    endReasoning(blocks)
    blocks.push({ type: 'tool-call-start', id, choice: 0, callId, name, kind })
    pass(waiting)
  }
  function pass(text: string): void {
    if (text === '') return
    if (id === undefined) waiting += text
    else blocks.push({ type: 'tool-call-delta', id, text })
  }
  function tell({ text, isWhole }: Told): void {
    if (!isEnded) pass(isWhole ? newInWhole(progress, text) : newInPiece(progress, text))
  }

  return {
    begin(item) {
      announced = item
      // Without its id the call waits for the item's end, which may tell it.
      if (stringIn(item, 'call_id') !== undefined) open(item)
    },
    tell,
    cite() {},
    end(item) {
      // Some vendors announce the whole call, and tell nothing after that.
      const whole = item ?? announced
      if (isEnded || whole === undefined) return
      open({ ...announced, ...whole })
      const input = kind === 'custom' ? whole.input : whole.arguments
      const text = progress.sent === 0 ? callInput(input, kind) : input
      if (typeof text === 'string') tell({ kind: 'input', index: 0, text, isWhole: true })
      isEnded = true
      if (id !== undefined) blocks.push({ type: 'tool-call-end', id })
    },
  }
}
