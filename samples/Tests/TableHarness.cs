using System.Runtime.InteropServices;
using Microsoft.Extensions.DependencyInjection;
using Npgsql;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Testing;

namespace Samples.Tests;

/// <summary>A handler that writes a row for each message. Tests share the table, so each reads only the rows of its own owner.</summary>
/// <param name="database">The database with the table.</param>
/// <param name="query">Selects the ids of an owner's rows, as text.</param>
/// <param name="owner">The value that this test writes to the owner column.</param>
internal abstract class TableHarness(NpgsqlDataSource database, string query, string owner) : HandlerHarness
{
    private readonly Dictionary<int, Guid> _ids = [];

    protected string Owner => owner;

    public override void Configure(IMessageWorkerBuilder worker) => worker.Services.AddSingleton(_ => NpgsqlDataSource.Create(Servers.Postgres));

    public override async Task<IReadOnlyList<string>> ReadEffectsAsync()
    {
        await using NpgsqlCommand select = database.CreateCommand(query);
        select.Parameters.Add(new NpgsqlParameter<string> { TypedValue = owner });
        List<string> ids = [];
        await using NpgsqlDataReader reader = await select.ExecuteReaderAsync();
        while (await reader.ReadAsync())
        {
            ids.Add(reader.GetString(0));
        }

        return ids;
    }

    /// <summary>The id of a message: the same for the same number.</summary>
    protected Guid IdOf(int number)
    {
        ref Guid id = ref CollectionsMarshal.GetValueRefOrAddDefault(_ids, number, out bool known);
        return known ? id : id = Guid.NewGuid();
    }
}
