using Npgsql;
using RabbitMQ.Client;
using Xunit;

namespace Samples.Tests;

/// <summary>The servers of these tests: RABBITMQ_URL and POSTGRES_CONNECTION. tests/servers has scripts that start them.</summary>
internal static class Servers
{
    private static readonly Lazy<Task<NpgsqlDataSource>> Database = new(OpenDatabaseAsync);

    public static string RabbitMq => Find("RABBITMQ_URL");

    public static string Postgres => Find("POSTGRES_CONNECTION");

    public static Task<NpgsqlDataSource> OpenPostgresAsync() => Database.Value;

    public static Task<IConnection> ConnectAsync() => new ConnectionFactory { Uri = new Uri(RabbitMq) }.CreateConnectionAsync();

    private static string Find(string variable)
    {
        string? value = Environment.GetEnvironmentVariable(variable);
        Assert.SkipWhen(value is null, $"{variable} is not set; see samples/README.md.");
        return value;
    }

    private static async Task<NpgsqlDataSource> OpenDatabaseAsync()
    {
        NpgsqlDataSource database = NpgsqlDataSource.Create(Postgres);
        await using NpgsqlCommand schema = database.CreateCommand(await File.ReadAllTextAsync(Path.Combine(AppContext.BaseDirectory, "schema.sql")));
        await schema.ExecuteNonQueryAsync();
        return database;
    }
}
