import { Alert } from '@mantine/core'

interface WarningsProps {
  readonly of: {
    readonly in_file: boolean
    readonly warnings: readonly { readonly field: string; readonly message: string }[]
  }
  /** What it means that the file of the gateway names it. */
  readonly inFile: string
}

/** What whoever changes a channel or a group is warned of, above all else on its page. */
export const Warnings = ({ of: { in_file, warnings }, inFile }: WarningsProps) => (
  <>
    {in_file && <Alert color="yellow">{inFile}</Alert>}
    {warnings.map(({ field, message }) => (
      <Alert key={field} color="yellow">
        {message}
      </Alert>
    ))}
  </>
)
