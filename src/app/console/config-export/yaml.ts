import { Document, Scalar, visit } from 'yaml'
import { Placeholder } from './entries.ts'

/** A part of the file, under its name. */
export const section = (name: string, value: object) =>
  `${textOf(asDocument({ [name]: value }), '')}\n`

/** What a document says, each line after `indent`. */
export const textOf = (document: Document, indent: string) =>
  document.toString({ lineWidth: 0 }).replace(/^(?=.)/gm, indent)

/** A text as a comment can hold it. */
export const oneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')

/** Placeholders become references; what only looks like a reference is told from one. */
export function asDocument(value: object): Document {
  const document = new Document(value, (_key, one: unknown) =>
    one instanceof Placeholder ? reference(one) : typeof one === 'string' ? literal(one) : one,
  )
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && node.value.includes('${'))
        node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return document
}

const reference = ({ variable }: Placeholder) => `\${${variable}}`
const literal = (text: string) => text.replaceAll('${', () => '$${')
