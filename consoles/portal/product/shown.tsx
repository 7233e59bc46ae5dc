import { Button, Group, Stack, Text } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm } from '../../shared/dialog/confirm.tsx';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { useIsDesigner, useProductActions } from '../../shared/products/actions.tsx';
import { ProductStatus } from '../../shared/products/status.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { formatMoney } from '../../shared/values/money.tsx';
import { Picture } from '../../shared/values/picture.tsx';
import { wordsOf } from '../../shared/values/words.ts';
import type { Designed } from './draft.ts';

/** A product to be looked at: for who does not design, and for what can no longer be changed here. */
export function Shown({ product }: { product: Designed }) {
  const { actionsOf, question, close } = useProductActions();
  const [, navigate] = useLocation();
  const mayDesign = useIsDesigner() && product.status !== 'archived';
  const mayOrder = useSession().session.user.role !== 'reader' && product.status !== 'archived';
  const actions = actionsOf(product);
  const { mockups, mockup_url: own, base_product: base, designs } = product;
  // A personalised product is designed as the template that it is published from.
  const template = product.personalised ? `/templates/${product.id}` : undefined;
  const templateLabel = mayDesign ? 'Change the design' : 'Look at the design';
  useCommands([
    ...(template === undefined
      ? []
      : [{ id: 'template', label: templateLabel, group: 'Product', run: () => navigate(template) }]),
    ...actions.map(({ id, label, run }) => ({ id, label, group: 'Product', run })),
  ]);
  return (
    <Page title={product.name}>
      <Group gap="sm" className="platen-actions">
        <ProductStatus status={product.status} />
        {mayOrder ? (
          <Button component={Link} href={`/new-order?product=${product.id}`} variant="default">
            Order this
          </Button>
        ) : null}
        {template === undefined ? null : (
          <Button component={Link} href={template} variant="default">
            {templateLabel}
          </Button>
        )}
        {actions.map(({ id, label, run }) => (
          <Button key={id} variant="default" onClick={run}>
            {label}
          </Button>
        ))}
      </Group>
      <Panel title={base.title}>
        <div className="platen-panel-body">
          <Stack gap="sm">
            {product.description === '' ? null : <Text size="sm">{product.description}</Text>}
            {product.retail_price === null ? null : (
              <Text size="sm">Retail price {formatMoney(product.retail_price, 'GBP')}.</Text>
            )}
            {product.personalised ? (
              <Text size="sm">A personalised product: each order fills in its layers.</Text>
            ) : (
              <Text size="sm">
                {designs.length === 0
                  ? 'Nothing is printed on it.'
                  : designs.map(({ print_area: area, method }) => `${wordsOf(area)} by ${wordsOf(method)}`).join(', ')}
              </Text>
            )}
            <ul className="platen-mockups" aria-label="Mockups">
              {own === null ? null : (
                <li>
                  <Picture url={own} alt={product.name} size={150} />
                </li>
              )}
              {mockups.map(({ colour, mockup_url: url }) => (
                <li key={colour}>
                  <Picture url={url} alt={`In ${colour}`} size={150} />
                  <span>{colour}</span>
                </li>
              ))}
            </ul>
          </Stack>
        </div>
      </Panel>
      <Confirm question={question} onClose={close}>
        <Text size="sm">
          It leaves the list and can no longer be changed or ordered. Placed orders keep it. This cannot be undone, but
          a copy can be made of it.
        </Text>
      </Confirm>
    </Page>
  );
}
