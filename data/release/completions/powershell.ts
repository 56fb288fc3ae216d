import { type CompletionTable, fileMark, freeMark } from './table.ts'

/** Needs PowerShell 5 or newer. */
export const powershellCompletion = ({ steps, places }: CompletionTable): string => `\
# Completion of tollgate for PowerShell: add ". C:\\path\\to\\tollgate.ps1" to the file that $PROFILE names.
Register-ArgumentCompleter -Native -CommandName tollgate -ScriptBlock {
  param($current, $line, $cursor)
  $at = ''
  $value = ''
  $files = $false
  $list = @()
  $before = $line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor }
  foreach ($element in $before) {
    if ($value -ne '') { $value = ''; continue }
    switch -CaseSensitive ("\${at}:$element") {
${steps.map(({ at, word, next, value }) => `      ${quoted(`${at}:${word}`)} { ${next === undefined ? `$value = ${quoted(value ?? '')}` : `$at = ${quoted(next)}`}; break }`).join('\n')}
    }
  }
  switch -CaseSensitive ($value) {
    '' {
      switch -CaseSensitive ($at) {
${places.map(({ at, words, takesFiles }) => `        ${quoted(at)} { ${takesFiles ? '$files = $true; ' : ''}$list = @(${words.map(({ word, help }) => `@(${quoted(word)}, ${quoted(help || word)})`).join(', ')}); break }`).join('\n')}
      }
      break
    }
    '${fileMark}' { $files = $true; break }
    '${freeMark}' { break }
    default { $list = @($value -split ' ' | ForEach-Object { , @($_, $_) }) }
  }
  foreach ($entry in $list) {
    if ($entry[0].StartsWith($current)) {
      [System.Management.Automation.CompletionResult]::new($entry[0], $entry[0], 'ParameterValue', $entry[1])
    }
  }
  if ($files) { [System.Management.Automation.CompletionCompleters]::CompleteFilename($current) }
}
`

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
