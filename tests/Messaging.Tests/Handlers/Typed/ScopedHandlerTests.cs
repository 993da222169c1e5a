using System.Collections.Concurrent;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers.Typed;

/// <summary>Scoped handlers, which live for one attempt with their scope's services, and singletons, which live as long as their route.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class ScopedHandlerTests
{
    private readonly Ledger _ledger = new();

    [Fact]
    public async Task Handle_Scoped_EachMessageHasAHandlerAndAUnitOfItsOwn()
    {
        await using (HandlerRoute route = await HandlerRoute.StartAsync(
            worker => worker
                .With(services => services.AddSingleton(_ledger).AddScoped<Unit>())
                .AddScopedHandler<Order, UnitHandler>("Orders", TestJson.Default.Order)))
        {
            _ledger.Forget();
            await route.PublishAsync("""{"id":"a"}""");
            await route.PublishAsync("""{"id":"b"}""");
            await route.SettleAllAsync();

            route.Publisher.Completed.ShouldBe(2);
        }

        _ledger.Entries.Order().ShouldBe(["handled a", "handled b", "handler gone", "handler gone", "unit gone", "unit gone"]);
        _ledger.Units.Distinct().Count().ShouldBe(2);
    }

    [Fact]
    public async Task Handle_ScopeDisposalThrows_CountsAsTheHandlersFaultAndIsNotCompleted()
    {
        await using HandlerRoute route = await HandlerRoute.StartAsync(
            worker => worker
                .With(services => services.AddSingleton(_ledger).AddScoped<Unit>())
                .AddScopedHandler<Order, UnitHandler>("Orders", TestJson.Default.Order), "Recoverability:MaxDeliveries=2");
        _ledger.FailsToEnd = true;

        await route.PublishAsync("""{"id":"a"}""");
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(0);
        route.DeadLetters.Messages.ShouldHaveSingleItem().Description.ShouldBe("Failed on delivery 2: The commit failed.");
    }

    [Fact]
    public async Task Handle_ConstructorThrows_ItsExceptionCountsAndTheScopeEnds()
    {
        await using HandlerRoute route = await HandlerRoute.StartAsync(
            worker => worker
                .With(services => services.AddSingleton(_ledger).AddScoped<AsyncUnit>())
                .AddScopedHandler<Order, FailingHandler>("Orders", TestJson.Default.Order), "Recoverability:MaxDeliveries=2");
        _ledger.Forget();
        _ledger.FailsToBegin = true;

        await route.PublishAsync("""{"id":"a"}""");
        await route.SettleAllAsync();

        route.DeadLetters.Messages.ShouldHaveSingleItem().Description.ShouldBe("Failed on delivery 2: The database does not answer.");
        _ledger.Entries.ShouldNotBeEmpty();
        _ledger.Entries.ShouldAllBe(entry => entry == "async unit gone");
    }

    [Fact]
    public async Task Handle_ScopedAndRegistered_ComesFromTheContainer()
    {
        await using HandlerRoute route = await HandlerRoute.StartAsync(
            worker => worker
                .With(services => services.AddSingleton(_ledger).AddScoped<Unit>().AddScoped<UnitHandler>())
                .AddScopedHandler<Order, UnitHandler>("Orders", TestJson.Default.Order));
        _ledger.Forget();

        await route.PublishAsync("""{"id":"a"}""");
        await route.SettleAllAsync();

        // The scope disposes the handler, once.
        _ledger.Entries.Order().ShouldBe(["handled a", "handler gone", "unit gone"]);
    }

    [Fact]
    public async Task Handle_Singleton_IsMadeOnceAndDisposedWithItsRoute()
    {
        await using (HandlerRoute route = await HandlerRoute.StartAsync(
            worker => worker
                .With(services => services.AddSingleton(_ledger).AddSingleton<Unit>())
                .AddHandler<Order, UnitHandler>("Orders", TestJson.Default.Order)))
        {
            await route.PublishAsync("""{"id":"a"}""");
            await route.PublishAsync("""{"id":"b"}""");
            await route.SettleAllAsync();
            _ledger.Entries.ShouldNotContain("handler gone");
        }

        _ledger.Entries.Count(entry => entry == "handler gone").ShouldBe(1);
        _ledger.Units.Distinct().Count().ShouldBe(1);
    }

    private sealed class AsyncUnit(Ledger ledger) : IAsyncDisposable
    {
        public ValueTask DisposeAsync()
        {
            ledger.Add("async unit gone");
            return default;
        }
    }

    private sealed class FailingHandler : IMessageHandler<Order>
    {
        public FailingHandler(AsyncUnit unit, Ledger ledger)
        {
            unit.ShouldNotBeNull();
            if (ledger.FailsToBegin)
            {
                throw new InvalidOperationException("The database does not answer.");
            }
        }

        public ValueTask<Settlement> HandleAsync(Order message, MessageInfo info, CancellationToken cancellationToken) => new(Settlement.Complete);
    }

    private sealed class Ledger
    {
        private readonly ConcurrentQueue<string> _entries = new();

        public IReadOnlyList<string> Entries => [.. _entries];

        public ConcurrentQueue<Unit> Units { get; } = new();

        public bool FailsToBegin { get; set; }

        public bool FailsToEnd { get; set; }

        public void Add(string entry) => _entries.Enqueue(entry);

        /// <summary>The start creates one handler to check its dependencies.</summary>
        public void Forget() => _entries.Clear();
    }

    private sealed class Unit(Ledger ledger) : IDisposable
    {
        public void Dispose()
        {
            ledger.Add("unit gone");
            if (ledger.FailsToEnd)
            {
                throw new IOException("The commit failed.");
            }
        }
    }

    private sealed class UnitHandler(Ledger ledger, Unit unit) : IMessageHandler<Order>, IAsyncDisposable
    {
        public ValueTask<Settlement> HandleAsync(Order message, MessageInfo info, CancellationToken cancellationToken)
        {
            ledger.Add($"handled {message.Id}");
            ledger.Units.Enqueue(unit);
            return new(Settlement.Complete);
        }

        public ValueTask DisposeAsync()
        {
            ledger.Add("handler gone");
            return default;
        }
    }
}
