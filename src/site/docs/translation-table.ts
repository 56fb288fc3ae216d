import { quirks } from '../../protocols/canonical/quirks.ts'
import { protocolNames } from '../../protocols/protocol.ts'
import {
  answerFeatures,
  embeddingFeatures,
  type Feature,
  legacyFeatures,
  requestFeatures,
  type Way,
} from '../../protocols/translation/features.ts'

const meanings: Readonly<Record<Way, string>> = {
  carried: 'arrives as it is',
  adapted: 'said in another way, to the same end',
  dropped:
    'left out, and named in the header x-tollgate-dropped; refused where the request is strict',
  refused: 'the request is refused with 400, and the message names the field',
}

/** The feature table of the translation, for the documentation and `tollgate matrix`. */
export const translationTable = () => ({
  protocols: protocolNames,
  words: meanings,
  sections: [
    {
      title: 'Requests',
      about: 'What a request may hold, and what becomes of it on a channel of each protocol.',
      rows: rowsOf(requestFeatures),
    },
    {
      title: 'Embeddings',
      about:
        'What a request for embeddings may hold, and what becomes of it on a channel of each protocol.',
      rows: rowsOf(embeddingFeatures),
    },
    {
      title: 'Legacy completions',
      about:
        'What a request to POST /v1/completions may hold, and what becomes of it where the channel does not have that form itself (the quirk text_completions). Settings go the way of the first table.',
      rows: rowsOf(legacyFeatures),
    },
    {
      title: 'Answers',
      about: 'What an answer may hold, and what becomes of it for a client of each protocol.',
      rows: rowsOf(answerFeatures),
    },
  ],
  quirks: Object.entries(quirks).map(([name, { protocol, title }]) => ({
    name,
    protocol,
    title,
  })),
})
export type TranslationTable = ReturnType<typeof translationTable>

const rowsOf = (features: Readonly<Record<string, Feature>>) =>
  Object.entries(features).map(([name, { title, ways, note = null }]) => ({
    name,
    title,
    ways,
    note,
  }))
