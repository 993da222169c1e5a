using Npgsql;
using Quayside.Pipeline.Settlements;

namespace Samples.Postgres;

/// <summary>Distinguishes rows that the database will always refuse from a database that currently fails.</summary>
internal static class DatabaseFaults
{
    // SQLSTATE classes: data exceptions and integrity constraint violations.
    private const string DataException = "22";
    private const string IntegrityViolation = "23";

    /// <summary>True when the same row would be refused again.</summary>
    public static bool IsTheRows(NpgsqlException exception) =>
        exception is PostgresException refused
            && (refused.SqlState.StartsWith(DataException, StringComparison.Ordinal)
                || refused.SqlState.StartsWith(IntegrityViolation, StringComparison.Ordinal));

    /// <summary>Dead-letters a refused row.</summary>
    /// <exception cref="TransientException">The row did not cause the fault: the message is retried until the database works again.</exception>
    public static Settlement Decide(NpgsqlException exception) => IsTheRows(exception)
        ? Settlement.DeadLetter("refused-by-database", exception.Message)
        : throw Transient(exception);

    public static TransientException Transient(NpgsqlException exception) => new($"PostgreSQL: {exception.Message}", innerException: exception);
}
