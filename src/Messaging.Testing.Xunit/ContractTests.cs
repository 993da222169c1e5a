using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using Xunit;

namespace Quayside.Messaging.Testing.Xunit;

/// <summary>Tests each rule of a contract, every one with a subject of its own.</summary>
/// <typeparam name="TSubject">What is under test, or the harness that connects it.</typeparam>
/// <typeparam name="TContract">The contract; its public methods are the rules.</typeparam>
public abstract class ContractTests<
    TSubject, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicMethods)] TContract> : IAsyncLifetime
    where TSubject : class, IAsyncDisposable
{
    // A test that waits for what never comes fails. xunit ignores it under a debugger.
    private const int MaxMilliseconds = 5 * 60 * 1_000;

    private TSubject? _subject;

    /// <summary>The names of the rules.</summary>
    public static TheoryData<string> Rules =>
        [.. typeof(TContract).GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly)
            .Where(method => method.ReturnType == typeof(Task))
            .Select(method => method.Name)];

    /// <summary>Ends with the test.</summary>
    protected static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>What is under test.</summary>
    protected TSubject Subject => _subject ?? throw new InvalidOperationException("It is opened before each test.");

    private protected abstract TContract Contract { get; }

    /// <summary>Opens the subject of the test.</summary>
    public virtual async ValueTask InitializeAsync() => _subject = await CreateAsync();

    /// <summary>Disposes it.</summary>
    public virtual async ValueTask DisposeAsync()
    {
        if (_subject is not null)
        {
            await _subject.DisposeAsync();
        }

        GC.SuppressFinalize(this);
    }

    /// <summary>The subject keeps a rule of its contract.</summary>
    /// <param name="rule">The rule's name, which is that of a method of the contract.</param>
    [Theory(Timeout = MaxMilliseconds)]
    [MemberData(nameof(Rules))]
    public Task Keeps(string rule) =>
        (Task)typeof(TContract).GetMethod(rule)!.Invoke(Contract, BindingFlags.DoNotWrapExceptions, binder: null, parameters: null, culture: null)!;

    /// <summary>Makes a new subject. Each test has one of its own.</summary>
    protected abstract ValueTask<TSubject> CreateAsync();
}
