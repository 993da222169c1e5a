using System.Net.Sockets;
using Messaging.Tests.Testing;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Recoverability;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Recoverability;

/// <summary>What an exception of a handler means by its type, from the configuration and from code.</summary>
public sealed class ExceptionRulesTests
{
    private static readonly Dictionary<string, Func<Exception>> Exceptions = new(StringComparer.Ordinal)
    {
        ["FormatException"] = static () => new FormatException("no number"),
        ["UriFormatException"] = static () => new UriFormatException("no address"),
        ["SocketException"] = static () => new SocketException(111),
        ["poison"] = static () => new DeadLetterException("bad", "bad"),
        ["transient"] = static () => new TransientException("down"),
    };

    [Theory]
    [InlineData("FormatException", "FormatException", "", ExceptionRule.DeadLetter)]
    [InlineData("UriFormatException", "System.FormatException", "", ExceptionRule.DeadLetter)]
    [InlineData("FormatException", "UriFormatException", "", ExceptionRule.None)]
    [InlineData("UriFormatException", "Exception", "FormatException", ExceptionRule.Retry)]
    [InlineData("SocketException", "Exception", "FormatException", ExceptionRule.DeadLetter)]
    [InlineData("SocketException", "", "System.ComponentModel.Win32Exception", ExceptionRule.Retry)]
    [InlineData("SocketException", "socketexception,Object", "", ExceptionRule.None)]
    [InlineData("poison", "", "Exception", ExceptionRule.None)]
    [InlineData("transient", "Exception", "", ExceptionRule.None)]
    public void Find_MostDerivedListedType_Decides(string exception, string deadLetterOn, string retryOn, object rule) =>
        new ExceptionRules(deadLetterOn.Split(','), retryOn.Split(','), []).Find(Exceptions[exception]()).ShouldBe((ExceptionRule)rule);

    [Fact]
    public void Find_TypesOfCode_GiveWayToTheConfigurationForTheSameType()
    {
        ExceptionRules rules =
            new(["SocketException"], [], [new(typeof(SocketException), ExceptionRule.Retry), new(typeof(FormatException), ExceptionRule.Retry)]);

        rules.Find(new SocketException(111)).ShouldBe(ExceptionRule.DeadLetter);
        rules.Find(new UriFormatException("no address")).ShouldBe(ExceptionRule.Retry);
    }

    [Fact]
    public void TryRead_Cancelled_NoRuleApplies()
    {
        ExceptionRules rules = new(["Exception"], [], []);

        rules.TryRead(new FormatException(), isCancelled: true, out _).ShouldBeFalse();
        rules.TryRead(new TransientException("down"), isCancelled: true, out Settlement settlement).ShouldBeTrue();
        settlement.Fault.ShouldBe(SettlementFault.Transient);
    }

    [Theory]
    [InlineData("Recoverability:DeadLetterOn", "FormatException")]
    [InlineData("Recoverability:DeadLetterOn", "Exception")]
    [InlineData("Routes:orders:Recoverability:DeadLetterOn:0", "System.FormatException")]
    [InlineData("code", "")]
    public async Task DeadLetterOn_ListedException_IsADeadLetterAfterOneCall(string key, string value)
    {
        Thrower thrower = new(_ => new UriFormatException("no address"));
        await using TestWorker worker = await StartAsync(
            thrower, builder => _ = key == "code" ? builder.DeadLetterOn<FormatException>() : builder,
            (key == "code" ? "Recoverability:Attempts" : key, key == "code" ? "3" : value));

        Settlement settlement = await worker.SendAsync(new Sample(1));

        (settlement.Kind, settlement.Reason, settlement.ExceptionType).ShouldBe(
            (SettlementKind.DeadLetter, "unhandled-exception", "System.UriFormatException"));
        thrower.Calls.ShouldBe(1);
        worker.DeadLetters.Records.ShouldHaveSingleItem().ShouldSatisfyAllConditions(
            record => record.Attempts.ShouldBe(1),
            record => record.Exception!.ShouldContain("no address"));
    }

    [Theory]
    [InlineData("config")]
    [InlineData("code")]
    public async Task RetryOn_ListedException_IsRetriedBeyondTheMaximumOfDeliveries(string place)
    {
        Thrower thrower = new(call => call <= 20 ? new SocketException(111) : null);
        await using TestWorker worker = await StartAsync(
            thrower,
            builder => _ = place == "code" ? builder.RetryOn<SocketException>() : builder,
            ("Recoverability:MaxDeliveries", "2"), ("Recoverability:BreakerFailures", "1000"),
            ("Recoverability:RetryOn", place == "code" ? "TimeoutException" : "SocketException"));

        Settlement settlement = await worker.SendAsync(new Sample(1));

        settlement.ShouldBe(Settlement.Complete);
        thrower.Calls.ShouldBe(21);
        worker.Log.Entries.ShouldNotContain(entry => entry.Id.Id == 5301, "A service that is down is no defect of the handler.");
    }

    [Fact]
    public async Task RetryOn_OtherException_IsDeadLetteredAfterItsDeliveries()
    {
        Thrower thrower = new(_ => new FormatException("no number"));
        await using TestWorker worker = await StartAsync(
            thrower, static _ => { }, ("Recoverability:MaxDeliveries", "2"), ("Recoverability:Attempts", "3"), ("Recoverability:RetryOn", "SocketException"));

        (await worker.SendAsync(new Sample(1))).Kind.ShouldBe(SettlementKind.DeadLetter);

        thrower.Calls.ShouldBe(2 * 3);
    }

    [Theory]
    [InlineData("FormatExeption", "is not an exception type of this program or the libraries that it references. Did you mean FormatException?")]
    [InlineData("System.FormatExeption", "Did you mean System.FormatException?")]
    [InlineData("System.String", "System.String is not an exception type.")]
    [InlineData("Npgsql.NpgsqlException", "is not an exception type of this program or the libraries that it references.")]
    public async Task StartAsync_NameThatMatchesNoException_IsAnError(string name, string problem)
    {
        ConfigurationException wrong = await Should.ThrowAsync<ConfigurationException>(
            () => StartAsync(new Thrower(_ => null), static _ => { }, ("Routes:orders:Recoverability:RetryOn", $"SocketException,{name}")));

        ConfigurationError error = wrong.Errors.ShouldHaveSingleItem();
        error.Key.ShouldBe("Routes:orders:Recoverability:RetryOn");
        error.Problem.ShouldContain(problem);
    }

    [Fact]
    public async Task StartAsync_NameInBothLists_IsAnError()
    {
        ConfigurationException wrong = await Should.ThrowAsync<ConfigurationException>(() =>
            StartAsync(
                new Thrower(_ => null), static _ => { }, ("Recoverability:RetryOn", "SocketException"), ("Recoverability:DeadLetterOn", "SocketException")));

        wrong.Errors.ShouldHaveSingleItem().Problem.ShouldBe("must not have SocketException, which is in DeadLetterOn too.");
    }

    private static Task<TestWorker> StartAsync(Thrower thrower, Action<IMessageWorkerBuilder> configure, params (string Key, string Value)[] settings) =>
        TestWorker.StartAsync(
            worker =>
            {
                worker.Services.AddSingleton(thrower);
                configure(worker.AddHandler<Sample, Thrower>("Samples", SampleJson.Default.Sample));
            },
            [new("Routes:orders:Handler", "Samples"), .. settings.Select(setting => KeyValuePair.Create<string, string?>(setting.Key, setting.Value))]);

    /// <summary>Throws what its script returns for each call, from 1; completes for null.</summary>
    private sealed class Thrower(Func<int, Exception?> script) : IMessageHandler<Sample>
    {
        private int _calls;

        public int Calls => Volatile.Read(ref _calls);

        public ValueTask<Settlement> HandleAsync(Sample message, MessageInfo info, CancellationToken cancellationToken) =>
            script(Interlocked.Increment(ref _calls)) is { } exception ? throw exception : new(Settlement.Complete);
    }
}
