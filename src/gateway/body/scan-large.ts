import { inSlices } from '../../lib/slices.ts'
import { createFairTurns } from '../../lib/turns.ts'
import { type ParsedBody, parseSteps, type ScannedBody, scanInPieces } from './body.ts'

/** Large bodies are read one after the other, each owner's in turn. */
const inTurn = createFairTurns()

/** Finds what is in a large body, whoever brought it: by a POST, or over a WebSocket. */
export const scanLarge = (owner: string, bytes: Buffer): Promise<ScannedBody> =>
  inTurn(owner, () => inSlices(scanInPieces(bytes)))

export async function parseLarge(owner: string, bytes: Buffer): Promise<ParsedBody> {
  const scanned = await scanLarge(owner, bytes)
  return parseScanned(owner, scanned)
}

export const parseScanned = (owner: string, scanned: ScannedBody): Promise<ParsedBody> =>
  inTurn(owner, () => inSlices(parseSteps(scanned)))
