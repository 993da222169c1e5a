using System.Diagnostics.CodeAnalysis;

namespace Quayside.Messaging.Testing;

/// <summary>The checks of the contracts. They throw <see cref="ContractException"/>, so that any test framework reports them.</summary>
internal static class Require
{
    public static void True([DoesNotReturnIf(false)] bool condition, string problem)
    {
        if (!condition)
        {
            throw new ContractException(problem);
        }
    }

    /// <param name="actual">What was found.</param>
    /// <param name="expected">What should have been.</param>
    /// <param name="rule">The rule, as a sentence.</param>
    public static void Equal<T>(T actual, T expected, string rule) =>
        True(EqualityComparer<T>.Default.Equals(actual, expected), $"{rule} Expected {expected}, found {actual}.");

    public static void Bytes(ReadOnlySpan<byte> actual, ReadOnlySpan<byte> expected, string rule)
    {
        if (!actual.SequenceEqual(expected))
        {
            throw new ContractException(
                $"{rule} Expected {expected.Length} bytes, found {actual.Length}; they differ from byte {actual.CommonPrefixLength(expected)} on.");
        }
    }

    public static void Empty<T>(IReadOnlyCollection<T> found, string rule) =>
        True(found.Count == 0, $"{rule} Found {found.Count}: {string.Join("; ", found.Take(3))}");

    public static T Single<T>(IReadOnlyCollection<T> found, string rule)
    {
        True(found.Count == 1, $"{rule} Found {found.Count}: {string.Join("; ", found.Take(3))}");
        return found.First();
    }

    public static async Task<TException> ThrowsAsync<TException>(Func<ValueTask> action, string rule)
        where TException : Exception
    {
        try
        {
            await action();
        }
        catch (TException exception)
        {
            return exception;
        }
        catch (Exception exception)
        {
            throw new ContractException($"{rule} {exception.GetType().Name} was thrown: {exception.Message}", exception);
        }

        throw new ContractException($"{rule} Nothing was thrown.");
    }
}

/// <summary>A source, sink or handler does not keep its contract. The message says what was expected, and what happened instead.</summary>
public sealed class ContractException(string message, Exception? innerException = null) : Exception(message, innerException);
