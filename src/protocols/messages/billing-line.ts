import type { TextPart } from '../canonical/request.ts'
import type { Note } from './content.ts'

/**
 * A system prompt without the line that Claude Code puts at its head (`x-anthropic-billing-header:
 * cc_version=…; cch=…;`), most often a block of its own. It is for its vendor alone, and differs by
 * session and by request: with it no two prompts would begin alike. Seen in Claude Code 2.1.
 */
export function withoutBilling(system: readonly TextPart[], note: Note): readonly TextPart[] {
  return system.flatMap((part) => {
    const text = part.text.replace(billingLine, '')
    if (text === part.text) return [part]
    note('billing_line', part.at ?? 'system')
    return text === '' ? [] : [{ ...part, text }]
  })
}

const billingLine = /^x-anthropic-billing-header[^\n]*\n*/
