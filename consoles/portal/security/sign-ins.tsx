import { saveList } from '../../shared/api/client.ts';
import { Panel } from '../../shared/layout/panel.tsx';
import { SignInLines } from '../../shared/sign-ins/sign-in-lines.tsx';
import { SaveCsv } from '../../shared/table/save-csv.tsx';

/** What happened to the person's sign-in of late, for them to find what was not theirs. */
export function SignIns() {
  return (
    <Panel
      title="What happened to your sign-in"
      aside={
        <SaveCsv
          group="Security"
          list="what happened to your sign-in"
          save={() => saveList('listOwnSignIns', {}, 'sign-ins.csv')}
        />
      }
    >
      <SignInLines
        of={undefined}
        note="Of the last 90 days. If something was not you, change the password: it ends all other sessions."
      />
    </Panel>
  );
}
