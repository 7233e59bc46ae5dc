import { Group, Modal } from '@mantine/core';
import { saveList } from '../../shared/api/client.ts';
import { SignInLines } from '../../shared/sign-ins/sign-in-lines.tsx';
import { SaveCsv } from '../../shared/table/save-csv.tsx';
import type { Person } from './page.tsx';
import { nameOf } from './person.tsx';

/** What happened to the sign-in of a person of the account, for its owners. */
export function SignInsOf({ person, onClose }: { person: Person | undefined; onClose: () => void }) {
  return (
    <Modal
      opened={person !== undefined}
      onClose={onClose}
      title={person === undefined ? '' : `Sign-ins of ${nameOf(person)}`}
      size="lg"
      closeOnClickOutside
    >
      {person === undefined ? null : (
        <>
          <SignInLines
            key={person.id}
            of={person.id}
            note="Of the last 90 days, with the browser and not with the address of the network, which may say where a person lives. If something was not them, have them change the password."
          />
          <Group mt="sm">
            <SaveCsv
              group="People"
              list={`the sign-ins of ${nameOf(person)}`}
              save={() => saveList('listSignInsOfPerson', { path: { id: person.id } }, 'sign-ins.csv')}
            />
          </Group>
        </>
      )}
    </Modal>
  );
}
