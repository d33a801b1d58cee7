import { useQuery } from '@tanstack/react-query';
import { fileQuery } from '#console/api/links/files.ts';
import type { CardContent } from './content.ts';
import { cut, type Network } from './networks.ts';
import css from './cards.module.css';

/** A card as a network draws it, about. */
export function Card({ network, content }: { network: Network; content: CardContent }) {
  const { name, shape, longestTitle, longestDescription } = network;
  const title = cut(content.title, longestTitle);
  const description = longestDescription === 0 ? '' : cut(content.description, longestDescription);
  const fileId = content.image !== null && 'fileId' in content.image ? content.image.fileId : undefined;
  const { data: file } = useQuery({ ...fileQuery(fileId ?? ''), enabled: fileId !== undefined });
  const address = content.image !== null && 'url' in content.image ? content.image.url : file?.url;
  const picture = address === undefined ? null : <img src={address} alt="" className={css.image} />;
  return (
    <figure className={css.card}>
      <figcaption className="quiet small">{name}</figcaption>
      <div className={css[picture === null && shape === 'over' ? 'under' : shape]}>
        {shape !== 'barred' && picture}
        <div className={css.text}>
          <span className={css.host}>{content.host}</span>
          <strong>{title}</strong>
          {description !== '' && <span className="quiet">{description}</span>}
        </div>
        {shape === 'barred' && picture}
      </div>
    </figure>
  );
}
