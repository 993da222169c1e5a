using Quayside.Messaging.Configuration;

namespace Samples.Postgres;

/// <summary>Settings of the database, section <c>Postgres</c>.</summary>
public sealed class PostgresOptions
{
    public const string Section = "Postgres";

    [Setting("Connection string, such as Host=localhost;Username=worker;Password=...;Database=shop", Secret = true, Required = true)]
    public string ConnectionString { get; set; } = string.Empty;
}
