import { bundleFromSource } from './bundle.ts'
import { packBundle } from './pack.ts'

/** Builds the console into the file that is named: `compile.sh` puts it into the program. */
const [, , file] = process.argv
if (file === undefined) throw new Error('Name the file to write.')
await Bun.write(file, await packBundle(await bundleFromSource({ brotliQuality: 11 })))
