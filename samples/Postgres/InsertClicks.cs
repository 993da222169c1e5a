using Npgsql;
using Quayside.Messaging.Handlers;
using Quayside.Pipeline.Settlements;

namespace Samples.Postgres;

/// <summary>
/// Inserts many clicks with one statement. If the database refuses it, each row is inserted alone, and only the refused rows are dead-lettered.
/// </summary>
public sealed class InsertClicks(NpgsqlDataSource database) : IBatchHandler<Click>
{
    public async ValueTask HandleAsync(MessageBatch<Click> batch, CancellationToken cancellationToken)
    {
        try
        {
            await InsertAsync([.. batch], cancellationToken);
            batch.SettleRest(Settlement.Complete);
            return;
        }
        catch (NpgsqlException exception) when (DatabaseFaults.IsTheRows(exception))
        {
            // The whole statement was rolled back.
        }
        catch (NpgsqlException exception)
        {
            throw DatabaseFaults.Transient(exception);
        }

        for (int i = 0; i < batch.Count; i++)
        {
            batch.Settle(i, await InsertOneAsync(batch[i], cancellationToken));
        }
    }

    private async Task<Settlement> InsertOneAsync(Click click, CancellationToken cancellationToken)
    {
        try
        {
            await InsertAsync([click], cancellationToken);
            return Settlement.Complete;
        }
        catch (NpgsqlException exception)
        {
            return DatabaseFaults.Decide(exception);
        }
    }

    private async Task InsertAsync(Click[] clicks, CancellationToken cancellationToken)
    {
        await using NpgsqlCommand insert =
            database.CreateCommand("INSERT INTO clicks (id, page, at) SELECT * FROM unnest($1, $2, $3) ON CONFLICT (id) DO NOTHING");
        insert.Parameters.Add(new NpgsqlParameter<Guid[]> { TypedValue = [.. clicks.Select(click => click.Id)] });
        insert.Parameters.Add(new NpgsqlParameter<string[]> { TypedValue = [.. clicks.Select(click => click.Page)] });
        insert.Parameters.Add(new NpgsqlParameter<DateTime[]> { TypedValue = [.. clicks.Select(click => click.At.UtcDateTime)] });
        await insert.ExecuteNonQueryAsync(cancellationToken);
    }
}
