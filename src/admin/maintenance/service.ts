import type { Static } from '@sinclair/typebox'
import type { SignedIn } from '../access.ts'
import type { BackupList, DownloadTicket, JobList, JobView } from './schema.ts'

/** What keeps a gateway in order. Refusals are thrown as `ApiError`. */
export interface MaintenanceService {
  jobs(): Promise<Static<typeof JobList>>
  job(id: string): Promise<JobView>
  start(who: SignedIn, kind: JobView['kind']): Promise<JobView>
  cancel(id: string): Promise<JobView>
  backups(): Promise<Static<typeof BackupList>>
  /** Lets who proves who they are take a backup away, once. */
  allowDownload(
    who: SignedIn,
    name: string,
    password: string | null,
  ): Promise<Static<typeof DownloadTicket>>
  download(who: SignedIn, name: string, ticket: string): Promise<Response>
  removeBackup(who: SignedIn, name: string): Promise<void>
}
