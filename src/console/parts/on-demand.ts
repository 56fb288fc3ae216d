import { CallFailed } from '../lib/api.ts'
import { shownLanguage } from '../lib/language.ts'
import { shellText } from './shell-text.ts'

/** Loads code that is needed only now. Throws `CallFailed` where it can't be loaded. */
export const loadCode = <Code>(load: () => Promise<Code>): Promise<Code> =>
  load().catch(() => {
    throw new CallFailed(0, { message: shellText[shownLanguage()].lostHint })
  })
