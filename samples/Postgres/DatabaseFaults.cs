using Npgsql;
using Pipeline.Settlements;

namespace Samples.Postgres;

/// <summary>Tells rows that the database will never take from a database that cannot take any now.</summary>
internal static class DatabaseFaults
{
    // Classes of SQLSTATE: data exceptions and violated constraints.
    private const string DataException = "22";
    private const string IntegrityViolation = "23";

    /// <summary>True when the same row would be refused again.</summary>
    public static bool IsTheRows(NpgsqlException exception) =>
        exception is PostgresException refused && (refused.SqlState.StartsWith(DataException, StringComparison.Ordinal) || refused.SqlState.StartsWith(IntegrityViolation, StringComparison.Ordinal));

    /// <summary>Dead-letters a row that is refused.</summary>
    /// <exception cref="TransientFaultException">The fault is not the row's: it is retried until the database works again.</exception>
    public static Settlement Decide(NpgsqlException exception) => IsTheRows(exception)
        ? Settlement.DeadLetter("refused-by-database", exception.Message)
        : throw Transient(exception);

    public static TransientFaultException Transient(NpgsqlException exception) => new($"PostgreSQL: {exception.Message}", innerException: exception);
}
